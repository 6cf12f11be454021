"""Page identity: the locator and the values of the parent record that identify a page beside its address.

A page is read once per run, so its rows must not depend on which link led to it first. If its definitions use
values of the parent record, the page is read once for each combination of these; if its rows depend on the
locator, it is read once for each locator.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from scoopi.defs.records.record_def_builder import WrittenRecordDef
from scoopi.defs.scrape.defs_groups import WrittenTaskGroup
from scoopi.defs.yaml.findings import Findings
from scoopi.model.records.record_def import FieldDef

RecordDefs = Mapping[str, WrittenRecordDef]


def parents_of(group: WrittenTaskGroup, record_defs: RecordDefs) -> tuple[str, ...]:
    """Return the names of the parent record's fields that the definitions of a group use, sorted."""
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


def check_parents(
    group: WrittenTaskGroup, record_defs: RecordDefs, given: Collection[str], findings: Findings
) -> None:
    """Report parent fields that a group uses, but that some records which lead to it do not have.

    Args:
        given: the names of the values that the group's locators give in place of a parent record.
    """
    used = [each for task in group.tasks if (each := record_defs.get(task.data_def)) is not None]
    if not any(each.record_def.parents for each in used):
        return
    leading = [each for each in record_defs.values() if group.name in each.link_groups]
    for each in used:
        for field in each.record_def.fields:
            for name in field.parents:
                if name.strip() and name not in given:  # the shape checker reports a blank one
                    _check_parent(each, field, name, leading, group.name, findings)


def _check_parent(
    written: WrittenRecordDef,
    field: FieldDef,
    name: str,
    leading: list[WrittenRecordDef],
    group: str,
    findings: Findings,
) -> None:
    """Report the records that lead to a group, but lack the parent field `name`."""
    origin = "parent" if field.parent is not None else "value"
    place, key = written.located(("fields", field.name, origin))
    if not leading:
        what = f"no field leads to group {group}, so there is no parent with a field {name}"
        hint = f"add `follow: {group}` to a field of other records, or values to its locators"
        findings.error(place, key, what, hint)
    for each in leading:
        known = [column.name for column in each.record_def.schema.columns]
        if name not in known:
            what = f"the records of {each.record_def.name}, which lead here, have no field {name}"
            findings.unknown(place, key, what, name, known)
