"""expanded: replaces short forms in definitions by long ones, so that all later code sees one form.

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scoopi.defs.locators.listed_pages import with_listed_pages, with_locator
from scoopi.defs.locators.locator_checker import VALUES, texts_of
from scoopi.defs.records.record_language import MARKS
from scoopi.defs.scrape.language import LOCATOR
from scoopi.defs.yaml.entries import Entries
from scoopi.defs.yaml.node import Listing, Node, Table, Text, read_bool
from scoopi.model.place import Place
from scoopi.model.text.text_template import placeholder_names, unclosed

NO_OUTPUT = "none"
"""The value of `output` of a task whose records are not written."""
LINK_FIELD = "link"
"""The only field of the data definition that a task's `follow` becomes."""
_TASK_GROUP_KEYS = frozenset({"live"})
_LISTS = ("key", "meta")
_FIELD_LISTS = ("select", "formats", "languages", "allow", "deny", "until")
CRAWL_TASK = "crawl"
LINK_TASKS = frozenset({"follow", "next", CRAWL_TASK})
"""Keys of a task that are short forms of a data definition of links."""
_RULES = {
    **{key: key for key in ("allow", "deny", "same", "depth", "until", "by")},
    "max": "pages",
}
"""Key of a task of links -> its name among the `links` of a field."""
_ALL_LINKS = "//a[not(starts-with(@href, 'javascript:'))]/@href | //area/@href"


def expanded(root: Table) -> Table:
    """Return a file's definitions without short forms; malformed entries stay as they are.

    Every value keeps the place where it is written.
    """
    root = with_listed_pages(root)
    entries, keys = dict(root.entries), dict(root.keys)
    for name, expand in _SECTIONS.items():
        section = entries.get(name)
        if isinstance(section, Table):
            entries[name] = _mapped(section, expand)
    made = _links_of_tasks(entries)
    if made.entries:
        known = entries.get("dataDefs")
        if isinstance(known, Table):
            made = Table({**known.entries, **made.entries}, {**known.keys, **made.keys}, known.place)
        entries["dataDefs"] = made
        keys.setdefault("dataDefs", made.place)
    return Table(entries, keys, root.place)


def _mapped(table: Table, expand: Callable[[str, Node, Place], Node]) -> Table:
    entries = {name: expand(name, node, table.keys[name]) for name, node in table.entries.items()}
    return Table(entries, table.keys, table.place)


def _locator_group(name: str, node: Node, place: Place) -> Node:
    """Expand `list: URL`, or a list of URLs, to locators with the name of the group."""
    if isinstance(node, Table):
        node = with_locator(name, node)
        locators = node.entries.get("locators")
        if isinstance(locators, Listing) and any(isinstance(entry, Text) for entry in first_entry(locators)):
            locators = _locators(name, locators)
            node = _with(node, "locators", locators)
        if isinstance(locators, Listing) and _names(locators) - LOCATOR.names:
            return _with(node, "locators", _each(locators, _valued))
        return node
    if isinstance(node, Text):
        if node.is_empty:
            return node
        node = Listing([node], node.place)
    # The key has the place of its value: this marks what expansion made (see `made_keys`).
    group = Table({"locators": _locators(name, node)}, {"locators": node.place}, node.place)
    return _locator_group(name, group, place)


def _names(locators: Listing) -> set[str]:
    """All keys of the locators, which may be very many."""
    entries = locators.entries
    if isinstance(entries, Entries):
        return entries.names()
    return {name for entry in entries if isinstance(entry, Table) for name in entry.names()}


def first_entry(listing: Listing) -> Iterator[Node]:
    """Yield the first entry, if there is one, without reading the rest of a long list."""
    yield from (entry for entry, _ in zip(listing.entries, range(1), strict=False))


def _each(listing: Listing, change: Callable[[Node], Node]) -> Listing:
    """A copy of a listing, which may be long, with `change` applied to each entry."""
    entries = Entries(listing.place.file)
    for entry in listing.entries:
        entries.append(change(entry))
    return Listing(entries, listing.place)


def _locators(name: str, listing: Listing) -> Listing:
    def named(entry: Node) -> Node:
        if not isinstance(entry, Text) or entry.is_empty:
            return entry
        place = entry.place
        return Table({"name": Text(name, place), "url": entry}, {"name": place, "url": place}, place)

    return _each(listing, named)


def _valued(locator: Node) -> Node:
    """Move values beside the address into `values`; a key that no placeholder names stays."""
    if not isinstance(locator, Table) or VALUES in locator.names():
        return locator
    named = {name for text in texts_of(locator) for name in (*placeholder_names(text), unclosed(text)[2:])}
    beside = [name for name in locator.entries if name in named and name not in LOCATOR.names]
    if not beside:
        return locator
    place = locator.keys[beside[0]]
    values = Table(
        {name: locator.entries[name] for name in beside},
        {name: locator.keys[name] for name in beside},
        place,
    )
    kept = {name: node for name, node in locator.entries.items() if name not in beside}
    return Table({**kept, VALUES: values}, {**locator.keys, VALUES: place}, locator.place)


def _task_group(group: str, node: Node, place: Place) -> Node:
    if not isinstance(node, Table):
        return node
    return _mapped(node, lambda name, task, _: task if name in _TASK_GROUP_KEYS else _task(group, name, task))


def _task(group: str, name: str, node: Node) -> Node:
    """Expand `output: X` to a list of mappings, and name the data definition of a task of links."""
    if not isinstance(node, Table):
        return node
    if "output" in node.entries:
        outputs = node.entries["output"]
        outputs = Listing([outputs], outputs.place) if isinstance(outputs, Table) else _listed(outputs)
        if isinstance(outputs, Listing):
            tables = [_keyed("to", entry) for entry in outputs.entries]
            outputs = Listing(tables, outputs.place)
        node = _with(node, "output", outputs)
    for links in LINK_TASKS.intersection(node.entries):
        node = _with(node, links, _link_task(group, node.entries[links], links))
    kind = link_task_of(node)
    if kind and "dataDef" not in node.entries:
        place = node.keys[kind]
        node = _with(node, "dataDef", Text(f"{group}.{name}", place), place)
        if "output" not in node.entries:
            nothing = _keyed("to", Text(NO_OUTPUT, place))
            node = _with(node, "output", Listing([nothing], place), place)
    return node


def link_task_of(task: Table) -> str:
    """Return the key of LINK_TASKS that a task has in place of a data definition; empty if it has none."""
    return next((key for key in task.entries if key in LINK_TASKS), "")


def _link_task(group: str, node: Node, kind: str) -> Node:
    """Expand a task of links to a mapping with a group; `crawl: true` has no rules."""
    if isinstance(node, Text) and (is_wanted := read_bool(node.text)) is not None:
        node = Table({}, {}, node.place) if kind == CRAWL_TASK and is_wanted else node
    elif kind != "follow" or isinstance(node, Table):
        node = _field("", node, node.place)
    if kind != "follow" and isinstance(node, Table) and "group" not in node.entries:
        node = _with(node, "group", Text(group, node.place), node.place)
    return node


def _links_of_tasks(sections: dict[str, Node]) -> Table:
    """The data definitions that tasks of links stand for, by `GROUP.TASK`."""
    made = Table({}, {}, Place())
    groups = sections.get("taskGroups")
    for group, tasks in groups.entries.items() if isinstance(groups, Table) else ():
        for name, task in tasks.entries.items() if isinstance(tasks, Table) else ():
            if not isinstance(task, Table) or task.text("dataDef") != f"{group}.{name}":
                continue
            kind = link_task_of(task)
            links = task.entries.get(kind)
            if links is not None:
                links = links if isinstance(links, Table) else Table({}, {}, links.place)
                made.entries[f"{group}.{name}"] = _link_def(kind, links)
                made.keys[f"{group}.{name}"] = task.keys[kind]
                made.place = links.place
    return made


def _link_def(kind: str, links: Table) -> Table:
    """The data definition of a task of links: one field, whose addresses are followed."""
    place = links.place
    entries: dict[str, Node] = {"type": Text("url", place), "list": Text("true", place)}
    rules: dict[str, Node] = {}
    if kind == CRAWL_TASK and "group" in links.entries:  # otherwise the task's error is reported
        entries["select"] = Listing([Text(_ALL_LINKS, place)], place)
        rules["same"] = Text("host", place)
    keys, rule_keys = dict.fromkeys(entries, place), dict.fromkeys(rules, place)
    for name, node in links.entries.items():
        if kind != "follow" and name in _RULES:
            rules[_RULES[name]], rule_keys[_RULES[name]] = node, links.keys[name]
        else:
            known = "follow" if name == "group" else name
            entries[known], keys[known] = node, links.keys[name]
    if rules:
        entries["links"], keys["links"] = Table(rules, rule_keys, place), place
    if "select" not in entries:  # the task's error is reported
        entries["select"], keys["select"] = Listing([], place), place
    field = _field(LINK_FIELD, Table(entries, keys, place), place)
    fields = Table({LINK_FIELD: field}, {LINK_FIELD: place}, place)
    return Table({"fields": fields}, {"fields": place}, place)


def _data_def(name: str, node: Node, place: Place) -> Node:
    if not isinstance(node, Table) or MARKS.isdisjoint(node.entries):
        return node
    for each in _LISTS:
        if each in node.entries:
            node = _with(node, each, _listed(node.entries[each]))
    fields = node.entries.get("fields")
    return _with(node, "fields", _mapped(fields, _field)) if isinstance(fields, Table) else node


def _field(name: str, node: Node, place: Place) -> Node:
    """Expand a selector, or a list of selectors, to `select`."""
    if isinstance(node, Listing):
        node = Table({"select": node}, {"select": node.place}, node.place)
    node = _keyed("select", node)
    if isinstance(node, Table):
        for each in _FIELD_LISTS:
            if each in node.entries:
                node = _with(node, each, _listed(node.entries[each]))
        links = node.entries.get("links")
        if isinstance(links, Table):
            node = _with(node, "links", _field("", links, links.place))
    return node


def _listed(node: Node) -> Node:
    return Listing([node], node.place) if isinstance(node, Text) and not node.is_empty else node


def _keyed(name: str, node: Node) -> Node:
    """Turn a text into a table with the text as the value of `name`; other nodes are unchanged."""
    if not isinstance(node, Text) or node.is_empty:
        return node
    return Table({name: node}, {name: node.place}, node.place)


def _with(table: Table, name: str, node: Node, place: Place | None = None) -> Table:
    keys = table.keys if place is None else {**table.keys, name: place}
    return Table({**table.entries, name: node}, keys, table.place)


_SECTIONS: dict[str, Callable[[str, Node, Place], Node]] = {
    "locatorGroups": _locator_group,
    "taskGroups": _task_group,
    "dataDefs": _data_def,
}
