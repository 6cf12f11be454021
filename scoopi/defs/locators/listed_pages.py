"""with_listed_pages: locator groups whose pages a sitemap or a feed lists become ordinary groups.

The list is read by a task group of its own, whose links are the pages: it is fetched politely, tried again,
and its pages become jobs as those of any other links do.

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

import re

from scoopi.defs.locators.row_file import LINE_COLUMN, SUFFIXES, is_row_file
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.place import Place
from scoopi.model.text.shown import nearest

SOURCES = ("sitemap", "feed")
FROM, URL, MATCH, SINCE, LOCATORS = "from", "url", "match", "since", "locators"
_DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_PARTS = {
    "sitemap": ("sitemap", "url", "lastmod", "loc/text()"),
    "feed": ("feed", "entry", "updated", "link[not(@rel) or @rel='alternate']/@href"),
}
"""Source -> name of its group, element of a page, of the day of its last change, and its address."""
_RSS = "//item/text()[preceding-sibling::node()[1][self::link]]"
"""The HTML parser ends a `link` where it begins, so an address stands behind it."""
_SITEMAP = "."
"""Matches every address: one of a sitemap may end in `.gz`, which is followed only if it is allowed."""
_INDEX = "//sitemap/loc/text()"


def with_rows(name: str, group: Table) -> Table:
    """`from: shops.csv` of a group: one locator, whose rows are in that file; other groups as they are."""
    written = group.entries.get(FROM)
    if written is None or isinstance(written, Listing) or LOCATORS in group.entries:
        return group
    if isinstance(written, Text) and not is_row_file(written.text) and "%{" not in written.text:
        return group
    place = written.place
    url = group.entries.get(URL, Text(f"%{{{LINE_COLUMN}}}", place))
    keys = {"name": place, URL: group.keys.get(URL, place), FROM: group.keys[FROM]}
    locator = Table({"name": Text(name, place), URL: url, FROM: written}, keys, place)
    rest = {key: node for key, node in group.entries.items() if key not in (FROM, URL)}
    keys = {**{key: group.keys[key] for key in rest}, LOCATORS: group.keys[FROM]}
    return Table({**rest, LOCATORS: Listing([locator], place)}, keys, group.place)


def with_listed_pages(root: Table) -> Table:
    """The definitions with the groups of such lists; what is malformed stays as it is, for the check."""
    locators, tasks = root.entries.get("locatorGroups"), root.entries.get("taskGroups")
    if not isinstance(locators, Table) or not any(map(_is_listed, locators.entries.values())):
        return root
    groups, places = dict(locators.entries), dict(locators.keys)
    made = dict(tasks.entries) if isinstance(tasks, Table) else {}
    keys = dict(tasks.keys) if isinstance(tasks, Table) else {}
    for name, node in locators.entries.items():
        if isinstance(node, Table) and _is_listed(node):
            source = node.text(FROM) or ""
            listed, place = f"{name}.{source}", places.pop(name)
            del groups[name]
            groups[listed], places[listed] = _list_group(name, node), place
            made[listed], keys[listed] = _task_group(name, listed, node), place
    tasks_place = tasks.place if isinstance(tasks, Table) else locators.place
    entries = {
        **root.entries,
        "locatorGroups": Table(groups, places, locators.place),
        "taskGroups": Table(made, keys, tasks_place),
    }
    return Table(entries, {"taskGroups": tasks_place, **root.keys}, root.place)


def fault_of_list(group: Table) -> tuple[Place, str, str] | None:
    """What is wrong with a group whose list stays unread: place, what, and hint; None if it has no list."""
    if FROM in group.entries and LOCATORS in group.entries:
        named = f"from: {group.text(FROM)}" if group.text(FROM) else "from"
        what = f"the group has both {named} and locators"
        return group.keys[LOCATORS], what, "make two groups of it"
    if isinstance(group.entries.get(FROM), Listing):
        return None  # a finding of its shape
    if FROM in group.entries and group.text(FROM) not in SOURCES:
        what = f"{group.text(FROM)} is neither a source of pages nor a file with a row for each page"
        near = nearest(group.text(FROM) or "", SOURCES)
        hint = f"write {' or '.join(SOURCES)}, or a file that ends in {', '.join(SUFFIXES)}"
        return group.at(FROM), what, f"did you mean {near}?" if near else hint
    if FROM in group.entries:
        if not group.text(URL):
            return group.keys[FROM], f"the {group.text(FROM)} has no address", "add `url: https://…`"
        if group.text(FROM) != SOURCES[0]:
            return group.keys[SINCE], "since is for sitemaps: feeds write days in many ways", "take it out"
        return (
            group.at(SINCE),
            f"since is {group.text(SINCE)!r}, which is no day",
            "write `since: 2026-01-31`",
        )
    for name in (URL, MATCH, SINCE):
        if name in group.entries and FROM not in group.entries:
            what = f"{name} is for pages that a sitemap or a feed lists"
            return group.keys[name], what, f"add `from: {SOURCES[0]}`, or write the address as a locator"
    return None


def is_without_locators(group: Table) -> bool:
    """Whether a group has neither locators nor a list of them, nor any key that may be one misspelt."""
    return group.entries.keys() <= {URL, MATCH, SINCE}


def _is_listed(node: Node) -> bool:
    if not isinstance(node, Table) or node.text(FROM) not in SOURCES or not node.text(URL):
        return False
    if LOCATORS in node.entries:
        return False
    if SINCE not in node.entries:
        return True
    return node.text(FROM) == SOURCES[0] and _DAY.fullmatch(node.text(SINCE) or "") is not None


def _list_group(name: str, node: Table) -> Table:
    """The group of the list itself; keys that it does not know stay, for the check."""
    url = node.entries[URL]
    locator = Table(
        {"name": Text(name, url.place), "url": url}, {"name": url.place, "url": node.keys[URL]}, url.place
    )
    rest = {key: entry for key, entry in node.entries.items() if key not in (FROM, URL, MATCH, SINCE)}
    keys = {key: node.keys[key] for key in rest}
    return Table({**rest, LOCATORS: Listing([locator], url.place)}, {**keys, LOCATORS: url.place}, node.place)


def _task_group(name: str, listed: str, node: Table) -> Table:
    source, place = node.text(FROM) or "", node.keys[FROM]
    _, page, changed, address = _PARTS[source]
    since = (node.text(SINCE) or "").replace("-", "")
    select = f"//{page}{_changed_since(changed, since)}/{address}"
    if source == "feed":
        select = f"{select} | {_RSS}"
    tasks = {"pages": _links(select, name, node.entries.get(MATCH), place)}
    if source == "sitemap":
        tasks["index"] = _links(_INDEX, listed, Text(_SITEMAP, place), place)
    return Table({**tasks}, dict.fromkeys(tasks, place), place)


def _links(select: str, group: str, allow: Node | None, place: Place) -> Table:
    entries: dict[str, Node] = {
        "select": Listing([Text(select, place)], place),
        "group": Text(group, place),
        "same": Text("any", place),
    }
    if allow is not None:
        entries["allow"] = allow
    links = Table(entries, dict.fromkeys(entries, place), place)
    return Table({"crawl": links}, {"crawl": place}, place)


def _changed_since(element: str, since: str) -> str:
    """A condition of XPath; a page without a day may have changed, and a month counts as its end."""
    if not since:
        return ""
    digits = f"concat(translate(substring(normalize-space({element}), 1, 10), '-', ''), '9999')"
    return f"[not({element}) or substring({digits}, 1, 8) >= {since}]"
