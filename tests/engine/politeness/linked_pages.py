"""Definitions of a page of links, each of which leads to a page whose paragraph is a row."""

from __future__ import annotations

_DEFINITIONS = """\
locatorGroups:
  list: {{ locators: [{{ name: list, url: "{url}" }}] }}
taskGroups:
  list:
    linkTask:
      dataDef: links
      steps: {{ css: {{ link: {{ class: LocatorCreator, previous: parser, next: end }} }} }}
  page: {{ pageTask: {{ dataDef: text }} }}
dataDefs:
  links:
    query: {{ block: "body" }}
    items:
      - item:
          name: link
          indexRange: 1-{count}
          linkGroup: page
          selector: "a:nth-child(%{{index}}) attribute: href"
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


def linked_pages(url: str, count: int = 1) -> str:
    """The definitions for a page at this URL that has this number of links, and nothing else, in its body."""
    return _DEFINITIONS.format(url=url, count=count)
