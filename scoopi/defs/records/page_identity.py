"""What identifies a page beside its address: its locator, and the values of its parent record.

A page is read once per run, so its rows must not depend on which link led to it first. It is therefore read
once for each combination of those values of the parent that the definitions of its group use, and once for
each locator if its rows depend on the locator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoopi.defs.records.record_def_builder import WrittenRecordDef
from scoopi.defs.scrape.defs_groups import WrittenTaskGroup

RecordDefs = Mapping[str, WrittenRecordDef]


def parents_of(group: WrittenTaskGroup, record_defs: RecordDefs) -> tuple[str, ...]:
    """Return which fields of the record that led to a page the definitions of a group use.

    Returns:
        Names of fields, sorted.
    """
    found = (record_defs.get(task.data_def) for task in group.tasks)
    names = {name for each in found if each is not None for name in each.record_def.parents}
    return tuple(sorted(names))


def groups_on_locators(groups: Iterable[WrittenTaskGroup], record_defs: RecordDefs) -> set[str]:
    """Return the names of the groups whose rows depend on the locator, directly or in a group they lead to.

    All rows of grids depend on it: the locator's name is their first column.
    """
    depending: set[str] = set()
    leads: dict[str, set[str]] = {}
    for group in groups:
        found = [record_defs.get(task.data_def) for task in group.tasks]
        if any(each is None or each.record_def.uses_locator for each in found):
            depending.add(group.name)
        leads[group.name] = {name for each in found if each is not None for name in each.link_groups}
    while more := {name for name, to in leads.items() if name not in depending and to & depending}:
        depending |= more
    return depending
