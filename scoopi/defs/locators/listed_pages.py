"""with_listed_pages: turns locator groups whose pages a sitemap or a feed lists into ordinary groups.

The list gets a task group of its own, whose links are the pages. Thus it is fetched and retried like any
page, and its entries become jobs like all links.

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from scoopi.defs.locators.row_file import LINE_COLUMN, SUFFIXES, is_row_file
from scoopi.defs.locators.source_reader import is_from_misspelt
from scoopi.defs.locators.values_builder import local_today, read_day
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.place import Place
from scoopi.model.text.shown import did_you_mean

SOURCES = ("sitemap", "feed")
FROM, URL, MATCH, SINCE, LOCATORS = "from", "url", "match", "since", "locators"
_OF_LIST = (FROM, URL, MATCH, SINCE)
_OF_REQUEST = ("method", "params", "headers", "form", "json", "idempotent", "values")
"""Keys of a locator that are for the request of the list, too."""
_LIST = re.compile(r"(?i)\.(xml|xml\.gz|rss|atom)(?=[?#]|\Z)|/(rss|feed|atom)/?(?=[?#]|\Z)")
"""Typical ends of the addresses of sitemaps and feeds."""
_FEED = re.compile(r"(?i)rss|atom|feed|rdf")
_SITEMAPS = "sitemaps[].address"
_ANY = "."
"""Allows every address: that of a sitemap may end in `.gz`, which is followed only if it is allowed."""
_NO_OUTPUT = "none"


def with_locator(name: str, group: Table) -> Table:
    """Return a group with a row file in `from`, or a page in `url`, as one with a locator of that name.

    Any other group is returned unchanged.
    """
    written, url = group.entries.get(FROM), group.entries.get(URL)
    if isinstance(written, Listing) or LOCATORS in group.entries or (written is None and not _is_page(url)):
        return group
    if isinstance(written, Text) and not is_row_file(written.text) and "%{" not in written.text:
        return group
    place = group.at(URL) if written is None else written.place
    entries: dict[str, Node] = {"name": Text(name, place), URL: Text(f"%{{{LINE_COLUMN}}}", place)}
    for_group = {key for key in (MATCH, SINCE) if key in group.entries}
    inner = {key: node for key, node in group.entries.items() if key not in for_group}
    keys = {"name": place, URL: place, **{key: group.keys[key] for key in inner}}
    locator = Table({**entries, **inner}, keys, place)
    rest = {key: group.entries[key] for key in for_group}
    kept = {**{key: group.keys[key] for key in rest}, LOCATORS: place}
    return Table({**rest, LOCATORS: Listing([locator], place)}, kept, group.place)


def _is_page(url: Node | None) -> bool:
    """Whether an address is that of a page, judging by its end; a list needs the key `from`."""
    return isinstance(url, Text) and bool(url.text.strip()) and not _LIST.search(url.text)


def with_listed_pages(root: Table) -> Table:
    """Return the definitions with ordinary groups in place of lists; malformed lists stay as they are."""
    locators, tasks = root.entries.get("locatorGroups"), root.entries.get("taskGroups")
    if not isinstance(locators, Table) or not any(map(_is_listed, locators.entries.values())):
        return root
    groups, places = dict(locators.entries), dict(locators.keys)
    made, keys = _copy(tasks)
    data_defs, data_keys = _copy(root.entries.get("dataDefs"))
    for name, node in locators.entries.items():
        if isinstance(node, Table) and _is_listed(node):
            source = node.text(FROM) or ""
            listed, place = f"{name}.{source}", places.pop(name)
            del groups[name]
            groups[listed], places[listed] = _list_group(name, node), place
            lists = _lists(name, listed, node)
            made[listed], keys[listed] = _task_group(listed, lists, node.keys[FROM]), place
            for task, data_def in lists.items():
                data_defs[f"{listed}.{task}"] = data_def
                data_keys[f"{listed}.{task}"] = node.keys[FROM]
    tasks_place = tasks.place if isinstance(tasks, Table) else locators.place
    entries = {
        **root.entries,
        "locatorGroups": Table(groups, places, locators.place),
        "taskGroups": Table(made, keys, tasks_place),
        "dataDefs": Table(data_defs, data_keys, tasks_place),
    }
    return Table(entries, {"taskGroups": tasks_place, "dataDefs": tasks_place, **root.keys}, root.place)


def _copy(node: Node | None) -> tuple[dict[str, Node], dict[str, Place]]:
    return (dict(node.entries), dict(node.keys)) if isinstance(node, Table) else ({}, {})


def fault_of_list(group: Table) -> tuple[Place, str, str] | None:
    """Return place, what is wrong and hint for a group whose list of pages is malformed; else None.

    What the shape checker reports is left to it.
    """
    if FROM in group.entries and LOCATORS in group.entries:
        named = f"from: {group.text(FROM)}" if group.text(FROM) else "from"
        what = f"the group has both {named} and locators"
        return group.keys[LOCATORS], what, "split it into two groups"
    written = group.entries.get(FROM)
    is_empty = isinstance(written, Text) and written.is_empty
    if is_empty or isinstance(written, Listing) or isinstance(group.entries.get(MATCH), Table):
        return None  # the shape checker reports it
    if isinstance(written, Text) and not written.text.strip():
        return written.place, "from is blank", _hint_of_source("")
    if FROM in group.entries and group.text(FROM) not in SOURCES:
        what = f"{group.text(FROM)} is neither a source of pages nor a file with a row for each page"
        return group.at(FROM), what, _hint_of_source(group.text(FROM) or "")
    if FROM in group.entries:
        if isinstance(group.entries.get(URL), Listing | Table):
            return None  # the shape checker reports it
        if not group.text(URL):
            return group.keys[FROM], f"the {group.text(FROM)} has no address", "add `url: https://…`"
        what = f"since is {group.text(SINCE)!r}, which is not a day"
        return group.at(SINCE), what, "write `since: 2026-01-31`, or `since: today-30`"
    if has_misspelt_source(group):
        return None  # the shape checker reports it
    for name in (URL, MATCH, SINCE):
        if name in group.entries and FROM not in group.entries:
            what = f"{name} is for pages that a sitemap or a feed lists"
            is_made = LOCATORS in group.keys and group.keys[LOCATORS] == group.entries[LOCATORS].place
            hint = f"add `from: {SOURCES[0]}`, or write the address as a locator"
            return group.keys[name], what, "remove it, and leave rows out of the source" if is_made else hint
    return None


def has_misspelt_source(group: Table) -> bool:
    """Whether a group has an unknown key that probably is a misspelt `from`."""
    return is_from_misspelt(group.entries, (*_OF_LIST, *_OF_REQUEST, LOCATORS, "name"))


def _hint_of_source(text: str) -> str:
    likely = SOURCES[1] if _FEED.search(text) else SOURCES[0]
    if text.startswith("stdin"):
        return f"write stdin, or {', '.join(f'stdin{suffix}' for suffix in SUFFIXES)}"
    if "/" in text or _LIST.search(text):
        return f"write {{ from: {likely}, url: {text} }}"
    meant = likely if likely == SOURCES[1] else text
    return did_you_mean(
        meant, SOURCES, f"write {' or '.join(SOURCES)}, or a file that ends in {', '.join(SUFFIXES)}"
    )


def is_without_locators(group: Table) -> bool:
    """Whether a group has neither `locators` nor `from`, and no key that may be one of them misspelt."""
    return group.entries.keys() <= {URL, MATCH, SINCE}


def _is_listed(node: Node) -> bool:
    if not isinstance(node, Table) or node.text(FROM) not in SOURCES or not node.text(URL):
        return False
    if LOCATORS in node.entries or isinstance(node.entries.get(MATCH), Table):
        return False
    return SINCE not in node.entries or read_day(node.text(SINCE) or "", local_today()) is not None


def _list_group(name: str, node: Table) -> Table:
    """The group of the list itself; unknown keys are kept, so that they are reported."""
    url, rest = node.entries[URL], {key: node.entries[key] for key in node.entries if key not in _OF_LIST}
    own = {
        key: rest.pop(key) for key in [*rest] if key in _OF_REQUEST or f"%{{{key}}}" in (node.text(URL) or "")
    }
    locator = Table(
        {"name": Text(name, url.place), "url": url, **own},
        {"name": url.place, "url": node.keys[URL], **{key: node.keys[key] for key in own}},
        url.place,
    )
    keys = {key: node.keys[key] for key in rest}
    return Table({**rest, LOCATORS: Listing([locator], url.place)}, {**keys, LOCATORS: url.place}, node.place)


def _lists(name: str, listed: str, node: Table) -> dict[str, Table]:
    """Name of a task -> the data definition whose links are the pages of the list, or further lists."""
    source, place = node.text(FROM) or "", node.keys[FROM]
    lists = {
        "pages": _links(source, f"pages[{_changed(node)}].address", name, node.entries.get(MATCH), place)
    }
    if source == "sitemap":
        lists["index"] = _links(source, _SITEMAPS, listed, Text(_ANY, place), place)
    return lists


def _links(source: str, select: str, group: str, allow: Node | None, place: Place) -> Table:
    rules: dict[str, Node] = {"same": Text("any", place)}
    if allow is not None:
        rules["allow"] = allow
    link: dict[str, Node] = {
        "select": Text(select, place),
        "type": Text("url", place),
        "list": Text("true", place),
        "follow": Text(group, place),
        "links": _table(rules, place),
    }
    fields = _table({"link": _table(link, place)}, place)
    return _table({"source": Text(source, place), "fields": fields}, place)


def _task_group(listed: str, lists: Collection[str], place: Place) -> Table:
    """The tasks that read the lists, in the form of tasks of links (see `short_forms`)."""
    tasks = {
        task: _table({"dataDef": Text(f"{listed}.{task}", place), "output": Text(_NO_OUTPUT, place)}, place)
        for task in lists
    }
    return _table(tasks, place)


def _changed(node: Table) -> str:
    """The JMESPath condition for `since`; a page without a day may have changed."""
    since = read_day(node.text(SINCE) or "", local_today())
    return f"?!changed || changed >= `{since:%Y%m%d}`" if since else ""


def _table(entries: Mapping[str, Node], place: Place) -> Table:
    return Table({**entries}, dict.fromkeys(entries, place), place)
