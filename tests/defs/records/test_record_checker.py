"""Mistakes in definitions of records, each with its place and a hint."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from scoopi.app import check

REST = """\
locatorGroups: {{ list: "https://shop.example/" }}
taskGroups:
  list: {{ cards: {task} }}
  detail: {{ specs: {{ dataDef: spec }} }}
dataDefs:
  spec: {{ fields: {{ upc: {{ label: UPC }}, of: {{ parent: title }} }} }}
  card:
    each: li
"""
LINK = '      link: { select: "a @href", type: url, follow: detail }\n'


def findings(folder: Path, fields: str, more: str = "", task: str = "{ dataDef: card }") -> list[str]:
    """`line:column what; hint` of each finding in a definition with these fields."""
    text = (
        REST.format(task=task)
        + indent(more, "    ")
        + "    fields:\n      title: b\n"
        + LINK
        + indent(fields, "      ")
    )
    (folder / "defs.yml").write_text(text)
    report = check(folder / "defs.yml", strict=True, environ={})
    return [f"{each.place.line}:{each.place.column} {each.sentence()}" for each in report.findings]


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("f: { select: b, type: prize }", '12:29 dataDefs.card.fields.f.type: type is "prize"; did'),
        ("f: { selector: b }", "unknown key selector; did you mean select?"),
        ("f: { type: integer }", 'nothing gives field f a value; add `select: "…"`'),
        ("f: { slect: b, type: integer }", "unknown key slect; did you mean select?"),
        ("f: { select: b, required: true, default: x }", "12:33 dataDefs.card.fields.f: field f has"),
        ("f: { select: b, label: x }", "field f has both select and label; keep one of them"),
        ('f: "h3::text"', "::text is not part of a selector here; write `h3`"),
        ('f: "a::attr(href)"', "::attr(href) is not part of a selector here; write `a @href`"),
        ("f: \"response.css('h3 a::attr(title)').get()\"", "not a selector; write `h3 a @title`"),
        ("f: { select: b, type: number }", 'type is "number"; did you mean decimal?'),
        ("f: { select: b, type: money }", 'type is "money"; did you mean price?'),
        ("f: { select: b, type: colour }", "known are text, integer, decimal, price"),
        ('f: "h3 a.get()"', "is a call of a program, not a selector; write `h3 a`"),
        ('f: "h3::text.extract_first()"', "not a selector; write `h3`"),
        ("f: \"card.css('a').attrib['href']\"", "not a selector; write `a @href`"),
        ("f: \"soup.select_one('h3 a')['title']\"", "not a selector; write `h3 a @title`"),
        ("f: \"$('h3').text()\"", "not a selector; write `h3`"),
        ('f: "a@title"', "an attribute follows a blank and @: write `a @title`"),
        ('f: "a @"', "an attribute follows a blank and @: write `a @href`"),
        ('f: "a[@href]"', "[@href] is XPath: in CSS it means an attribute called @href; write `a[href]`"),
        ('f: "h3 > a href"', "called href, which is an attribute; take the attribute: write `h3 > a @href`"),
        ("f: { select: a, type: url }", "needed; take an attribute: write `a @href`"),
        ("f: { select: img, follow: detail }", "write `img @src`"),
        ('f: "div/a/text()"', "an XPath begins with / or ./: write ./div/a/text()"),
        ('f: "b["', "12:10 dataDefs.card.fields.f: selector 'b['"),
        ('f: ".//a["', "the XPath './/a[' is wrong"),
        ('f: { select: b, regex: "(" }', "12:30 dataDefs.card.fields.f.regex: the regex"),
        ('f: { select: b, replace: [ ["a"] ] }', "an entry of replace has 1 text, but must have two"),
        ("f: { select: b, type: integer, default: none }", "the default of field f is not of its type"),
        ("f: { select: b, locale: de }", "locale does not apply to the type text; it is for"),
        (
            "f: { select: b, type: date, locale: de }",
            "locale does not apply to the type date; it is for integer, decimal, price; "
            "for the names of months write `languages: de`",
        ),
        (
            "f: { select: b, type: decimal, languages: de }",
            "it is for date, datetime; for the separators of a number write `locale: de`",
        ),
        ("f: { select: b, type: decimal, locale: xx }", "the locale 'xx' is not known"),
        ('f: { select: b, type: date, formats: "%Q" }', "12:44 dataDefs.card.fields.f.formats: the format"),
        ("f: { select: b, follow: detial, type: url }", "group detial to follow; did you mean detail?"),
        ("f: { select: b, type: integer, follow: detail }", "is not an address; write `type: url`"),
        ("f: { select: b, once: run }", "once has no effect without follow"),
        ("f: { select: b, links: { same: host } }", "links has no effect without follow"),
        ("f: { select: b, follow: detail, type: url, links: { same: hosts } }", "did you mean host?"),
        ("f: { select: b, follow: detail, type: url, links: { depth: 0 } }", "a depth of 0 leads nowhere"),
        ("f: { select: b, follow: detail, type: url, links: { pages: -1 } }", "-1 pages are not a list"),
        ("f: { select: b, follow: detail, type: url, links: { depth: x } }", "depth"),
        ('f: { select: b, follow: detail, type: url, links: { allow: "(" } }', "links.allow: the pattern is"),
        ('f: { select: b, follow: detail, type: url, links: { deny: [ a, "[" ] } }', "links.deny: the"),
        ('f: { value: "%{page.uri}" }', "placeholder %{page.uri} names nothing; did you mean %{page.url}?"),
        ("f: { value: x, text: own }", "text is for what a selector finds; remove it"),
        ("f: { select: b, text: own, html: inner }", "field f has both text and html"),
        ('f: { script: "1 +" }', "the script is wrong"),
        ("p: { select: b, type: price }\np_currency: i", "two columns of card are called p_currency"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_field_is_reported_with_its_place_and_a_hint(
    tmp_path: Path, field: str, what: str
) -> None:
    sentences = findings(tmp_path, field)
    assert any(what in each for each in sentences), sentences
    assert all(each.startswith(("12:", "13:")) for each in sentences), sentences


@pytest.mark.parametrize("xpath", ["./b/following-sibling::text()", "./child::text ()"])
def test_an_axis_of_xpath_is_not_taken_for_a_habit_of_scrapy(tmp_path: Path, xpath: str) -> None:
    assert findings(tmp_path, f'f: "{xpath}"') == []


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("key: linkk\n", "the key linkk is not a field of card; did you mean link?"),
        ("expect: { pric: 5 % }\n", "expect names pric, which is not a field of card"),
        ('expect: { title: "20-" }\n', "'20-', which is not an expectation; write a share"),
        ("expect: { records: many }\n", 'write a number of records, as in "20-" or "20-30"'),
        ("expect: { records: 30-20 }\n", "records is '30-20', which is not an expectation"),
        ("meta: [ pages ]\n", 'is "pages"; did you mean page?'),
        ("timeZone: Europe/Berln\n", "there is no time zone 'Europe/Berln'"),
        ("source: jsn\n", 'source is "jsn"; did you mean json?'),
    ],
)  # fmt: skip
def test_a_mistake_in_a_definition_is_reported(tmp_path: Path, more: str, what: str) -> None:
    sentences = findings(tmp_path, "", more)
    assert any(what in each for each in sentences), sentences


def test_with_a_source_of_json_selectors_are_jmespath(tmp_path: Path) -> None:
    sentences = findings(tmp_path, 'f: "h3.title a"', "source: json\n")
    assert any("JMESPath 'h3.title a'" in each and "with this source" in each for each in sentences), (
        sentences
    )


def test_a_parent_must_have_the_fields_that_are_used(tmp_path: Path) -> None:
    assert findings(tmp_path, "") == []
    file = tmp_path / "defs.yml"
    file.write_text(file.read_text().replace("title: b", "titel: b"))
    (finding,) = check(file, environ={}).findings
    assert finding.what == "the records of card, which lead here, have no field title"
    assert finding.did_you_mean == "titel"
    file.write_text(file.read_text().replace(", follow: detail", ""))
    assert check(file, environ={}).findings[0].what == "no locator or link leads to the task group detail"


@pytest.mark.parametrize(
    ("task", "what"),
    [
        ("{ dataDef: card, steps: css }", "card has fields, but these steps do not read records"),
        ('{ dataDef: card, follow: { select: "a @href", group: detail } }', "has both dataDef and follow"),
        ("{ dataDef: card, output: [ ] }", "output is empty"),
        ("{ dataDef: card, crawl: { same: host } }", "has both dataDef and crawl"),
        ("{ crawl: { same: host }, next: a.next @href }", "has both crawl and next"),
        ("{ crawl: { group: lists } }", "there is no task group lists to follow"),
        ("{ crawl: { once: false } }", "once is"),
        ("{ crawl: { sames: host } }", "unknown key sames; did you mean same?"),
        ("{ crawl: { depth: 0 } }", "a depth of 0 leads nowhere"),
        ("{ next: { max: 3 } }", "select"),
        ("{ next: { select: a @href, max: 0 } }", "list.cards.next.max: 0 pages are not a list"),
        ('{ crawl: { allow: "[" } }', "taskGroups.list.cards.crawl.allow: the pattern is wrong"),
        ("{ next: { select: a @href, depth: 1 } }", "unknown key depth"),
    ],
)
def test_a_task_has_steps_and_links_for_what_it_reads(tmp_path: Path, task: str, what: str) -> None:
    sentences = findings(tmp_path, "", task=task)
    assert any(what in each for each in sentences), sentences


@pytest.mark.parametrize(
    ("task", "more", "what"),
    [
        (
            "{ dataDef: card }",
            "",
            "3:20 taskGroups.list.changed: the records of card have no key, so they cannot be compared",
        ),
        ("{ dataDef: card }", "key: [ change ]\n", "the field change is also the column"),
        (
            '{ dataDef: card, output: { to: "sqlite:a.db#t", stream: true } }',
            "key: [ link ]\n",
            "it cannot be loaded during the run",
        ),
        (
            "{ dataDef: table }",
            "key: [ link ]\n",
            "task cards has no records, but only records can be compared",
        ),
    ],
)
def test_records_of_which_only_changes_are_written_can_be_compared(
    tmp_path: Path, task: str, more: str, what: str
) -> None:
    fields = "change: i\n" if "change" in more else ""
    findings(tmp_path, fields, more, task)
    file = tmp_path / "defs.yml"
    text = file.read_text().replace("list: {", "list: { changed: true,")
    table = "  table: { query: { block: table, selector: td }, items: [ item: { name: a, value: b } ] }\n"
    file.write_text(text + table)
    sentences = [
        f"{each.place.line}:{each.place.column} {each.sentence()}"
        for each in check(file, environ={}).findings
    ]
    assert any(what in each for each in sentences), sentences


def test_an_output_holds_only_changes_or_all_records(tmp_path: Path) -> None:
    findings(tmp_path, "", "key: [ link ]\n", "{ dataDef: card, output: a.csv }")
    file = tmp_path / "defs.yml"
    text = file.read_text().replace("list: {", "list: { changed: true,")
    file.write_text(text.replace("detail: {", "detail: { again: { dataDef: card, output: a.csv },"))
    (finding,) = check(file, environ={}).findings
    assert "a.csv" in finding.what
    assert "columns" in finding.what
