"""made_keys: the keys that the expansion of short forms made, with the keys that the user has written."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.defs.locators.listed_pages import SOURCES
from scoopi.defs.records.short_forms import LINK_FIELD, first_entry, link_task_of
from scoopi.defs.yaml.node import Listing, Table


def made_keys(root: Table) -> Iterator[tuple[str, str]]:
    """Yield each key of a long form that expansion made, with the key of the short form as written."""
    groups = root.table("taskGroups")
    for group, tasks in groups.entries.items() if groups is not None else ():
        source = next((each for each in SOURCES if group.endswith(f".{each}")), "")
        for name, task in tasks.entries.items() if isinstance(tasks, Table) else ():
            made = f"dataDefs.{group}.{name}"
            field = f"{made}.fields.{LINK_FIELD}"
            if source:
                shown = f"locatorGroups.{group.removesuffix(f'.{source}')}"
                yield from ((f'locatorGroups."{group}"', shown), (f"locatorGroups.{group}", shown))
                yield from ((made, shown), (field, shown), (f"{field}.follow", shown))
                yield f"{field}.links.allow", f"{shown}.match"
            elif isinstance(task, Table) and (kind := link_task_of(task)):
                shown = f"taskGroups.{group}.{name}.{kind}"
                yield from ((made, shown), (field, shown), (f"{field}.links", shown))
                yield from ((f"{field}.links.pages", f"{shown}.max"), (f"{field}.follow", f"{shown}.group"))
    yield from _made_locator_keys(root)


def _made_locator_keys(root: Table) -> Iterator[tuple[str, str]]:
    """The made keys of groups that are a single locator, or a list, and of locators that are an address."""
    groups = root.table("locatorGroups")
    for name, group in groups.entries.items() if groups is not None else ():
        listing = group.entries.get("locators") if isinstance(group, Table) else None
        if isinstance(group, Table) and isinstance(listing, Listing):
            first, made = next(first_entry(listing), None), f"locatorGroups.{name}.locators"
            is_address = isinstance(first, Table) and _is_made(first, "url")
            source = next((each for each in SOURCES if name.endswith(f".{each}")), "")
            shown = f"locatorGroups.{name.removesuffix(f'.{source}')}"
            if not _is_made(group, "locators"):
                yield from [(f"{made}[].url", f"{made}[]")] if is_address else ()
            elif isinstance(first, Table) and first.place == listing.place:
                yield f"{made}[0]", shown
                yield from [(f"{made}[0].url", shown)] if is_address else ()
            else:
                yield made, shown
                yield from [(f"{made}[].url", f"{shown}[]")] if is_address else ()


def _is_made(table: Table, key: str) -> bool:
    """Whether expansion made the value: then the key has the place of its value."""
    return key in table.entries and table.keys[key] == table.entries[key].place


def written_only(root: Table) -> Table:
    """Return the expanded definitions without the data definitions that were made from tasks.

    The tasks are checked instead of these. If all data definitions were made, the section is left out.
    """
    made = {name for name, written in made_keys(root) if written.startswith("taskGroups.")}
    data_defs = root.table("dataDefs")
    if data_defs is None or not made:
        return root
    kept = {name: node for name, node in data_defs.entries.items() if f"dataDefs.{name}" not in made}
    if not kept:
        return Table({n: node for n, node in root.entries.items() if n != "dataDefs"}, root.keys, root.place)
    section = Table(kept, data_defs.keys, data_defs.place)
    return Table({**root.entries, "dataDefs": section}, root.keys, root.place)
