"""RecordChecker: checks the record definitions that are used, and the tasks and links that use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoopi.defs.records.download_language import DOWNLOAD, check_download, check_has_output
from scoopi.defs.records.list_end_checker import ListEndChecker
from scoopi.defs.records.record_def_builder import RECORDS, WrittenRecordDef, outputs_of, read_expectation
from scoopi.defs.records.record_language import FIELD
from scoopi.defs.records.short_forms import LINK_TASKS
from scoopi.defs.scrape.checkers import Checkers, report_fault
from scoopi.defs.scrape.class_names import RECORD_PARSER
from scoopi.defs.scrape.data_def_builder import WrittenDataDef
from scoopi.defs.scrape.defs_groups import CHANGED, WrittenTask, WrittenTaskGroup
from scoopi.defs.scrape.step_sets import RECORD_STEPS
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Table, Text
from scoopi.model.place import Place
from scoopi.model.records import CHANGE_COLUMN, with_change
from scoopi.model.records.record_def import FieldDef

_ORIGINS = ("select", "label", "value", "parent", "script")
"""The keys that give a field its value; a field has exactly one of them."""
_NUMBERS, _DATES = ("integer", "decimal", "price"), ("date", "datetime")
_ONLY_FOR: Mapping[str, tuple[str, ...]] = {
    "locale": _NUMBERS,
    "formats": _DATES,
    "languages": _DATES,
}
"""Key -> the types to which it applies."""
_INSTEAD = {
    ("locale", True): "; for the names of months write `languages: de`",
    ("languages", False): "; for the separators of a number write `locale: de`",
}
"""Key, and whether the field is a date -> the end of the hint."""
_ONLY_FOUND = ("page", "text", "html")
_LEADING_TYPES = ("text", "url")


class RecordChecker:
    """Checks the record definitions that are used, and the tasks and links that use them.

    Args:
        groups: all task groups, by name.
    """

    def __init__(
        self, checkers: Checkers, findings: Findings, groups: Mapping[str, WrittenTaskGroup]
    ) -> None:
        self._checkers = checkers
        self._findings = findings
        self._groups = groups
        self._ends = ListEndChecker(findings)

    def check(self, written: WrittenRecordDef) -> None:
        """Check a record definition by itself."""
        definition = written.record_def
        for field in definition.fields:
            self._check_field(written, field)
        self._check_names(written)
        self._check_key(written)
        self._check_expect(written)
        for fault in self._checkers.records(definition):
            place, key = written.located(fault.path)
            self._findings.error(place, key, fault.what, fault.hint)

    def check_outputs(
        self, task: WrittenTask, written: WrittenRecordDef | None, group: WrittenTaskGroup
    ) -> None:
        """Check the outputs of a task that reads records.

        Args:
            written: the definition of the records; None if it is unknown: then only the formats are checked.
        """
        outputs, schema = outputs_of(task.data_def, task.outputs), None
        if written is not None:
            check_has_output(written.record_def, outputs, task.key, task.place, self._findings)
            schema = with_change(written.record_def.schema) if group.changed else written.record_def.schema
        for output in outputs:
            for fault in self._checkers.output(task.key, output, schema):
                report_fault(self._findings, fault, output.to, f"{task.key}.output", output.place)

    def check_changed(
        self, group: WrittenTaskGroup, data_defs: Mapping[str, WrittenDataDef | WrittenRecordDef]
    ) -> None:
        """Report what a group with `changed: true` reads that cannot be compared with the last run's."""
        if not group.changed:
            return
        place, key = group.node.at(CHANGED), f"{group.key}.{CHANGED}"
        for task in group.tasks:
            written = data_defs.get(task.data_def)
            if written is None:
                continue
            if not isinstance(written, WrittenRecordDef):
                what = f"task {task.name} has no records, but only records can be compared with the last run"
                hint = "move it to a group of its own, or give its data definition fields"
                self._findings.error(place, key, what, hint, also=task.place)
                continue
            schema, name = written.record_def.schema, written.record_def.name
            outputs = outputs_of(task.data_def, task.outputs)
            if not schema.key and outputs:
                what = f"the records of {name} have no key, so they cannot be compared with the last run"
                self._findings.error(place, key, what, f"add `key: [ FIELD ]` to {name}", also=written.place)
            for column in schema.all_columns:
                if column.name == CHANGE_COLUMN.name:
                    what = f"the field {column.name} is also the column that says how a record has changed"
                    self._findings.error(column.place, written.key, what, "rename the field", also=place)
            for output in outputs:
                if output.stream:
                    what = (
                        "it cannot be loaded during the run: only at its end is known which records are gone"
                    )
                    self._findings.error(
                        output.place, f"{task.key}.output", what, "remove `stream`", also=place
                    )

    def check_list_ends(self, group: WrittenTaskGroup, record_defs: Mapping[str, WrittenRecordDef]) -> None:
        """Report lists of the group whose end its records can never reach."""
        read = {
            task.name: None if (written := record_defs.get(task.data_def)) is None else written.record_def
            for task in group.tasks
            if task.data_def != f"{group.name}.{task.name}"
        }
        found = (record_defs.get(task.data_def) for task in group.tasks)
        fields = ((each, field) for each in found if each is not None for field in each.record_def.fields)
        for written, field in fields:
            links = written.field_node(field.name).table("links")
            if links is not None and field.links is not None and field.links.bounds.end is not None:
                key = f"{written.key}.fields.{field.name}.links"
                self._ends.check_items(links, key, field.links.bounds.end, read)

    def check_task(self, task: WrittenTask, steps: Iterable[str], *, reads_records: bool) -> None:
        """Report steps, outputs and links of a task that do not fit what it reads: records or a grid.

        Args:
            steps: the classes of its steps.
        """
        node, classes = task.node, set(steps)
        name = task.data_def
        links = [key for key in node.entries if key in LINK_TASKS]
        if links and name != f"{task.group}.{task.name}":
            what = f"task {task.name} has both dataDef and {links[0]}"
            hint = f"give the {links[0]} a task of its own, or write it into a field"
            self._findings.error(node.keys[links[0]], task.key, what, hint)
        for other in links[1:]:
            what = f"task {task.name} has both {links[0]} and {other}"
            self._findings.error(node.keys[other], task.key, what, f"give the {other} a task of its own")
        if reads_records and classes and RECORD_PARSER not in classes:
            what = f"{name} has fields, but these steps do not read records"
            hint = f"remove the steps, or derive them from {RECORD_STEPS}"
            self._findings.error(node.at("steps"), f"{task.key}.steps", what, hint)
        elif not reads_records and RECORD_PARSER in classes:
            what = f"{name} has no fields, but these steps read records"
            self._findings.error(
                node.at("steps"), f"{task.key}.steps", what, "give the data definition fields"
            )
        elif not reads_records and "output" in node.entries:
            what = f"output is for records, but {name} is a grid"
            hint = "name its file in the appender step, or give the data definition fields"
            self._findings.error(node.keys["output"], task.key, what, hint)

    def _check_field(self, written: WrittenRecordDef, field: FieldDef) -> None:
        node, key = written.field_node(field.name), f"{written.key}.fields.{field.name}"
        origins = [each for each in _ORIGINS if each in node.entries]
        if not origins and node.entries.keys() <= FIELD.names:  # otherwise one is misspelt
            hint = f'add `select: "…"`, or one of {", ".join(_ORIGINS[1:])}'
            self._findings.error(field.place, key, f"nothing gives field {field.name} a value", hint)
        for other in origins[1:]:
            what = f"field {field.name} has both {origins[0]} and {other}"
            self._findings.error(node.keys[other], key, what, "keep one of them")
        for name, types in _ONLY_FOR.items():
            if name in node.entries and field.type not in types:
                what = f"{name} does not apply to the type {field.type}"
                instead = _INSTEAD.get((name, field.type in _DATES), "")
                hint = f"it is for {', '.join(types)}{instead}"
                self._findings.error(node.keys[name], key, what, hint)
        if not written.record_def.source.is_html or not {"select", "label"} & {*origins}:
            self._check_only_html(written, node, key)
        if field.required and field.default is not None:
            what = f"field {field.name} has both required and default: no record is ever rejected"
            self._findings.warning(node.at("required"), key, what, "keep one of them")
        if "html" in node.entries and "text" in node.entries:
            what = f"field {field.name} has both text and html"
            self._findings.error(node.keys["text"], key, what, "keep one of them")
        self._check_replace(node, key)
        self._check_follow(node, field, key)
        self._check_download(written, field, node, key)
        if field.script is not None and (fault := self._checkers.script(field.script)):
            self._findings.error(node.at("script"), key, f"the script is wrong: {fault.what}", fault.hint)

    def _check_only_html(self, written: WrittenRecordDef, node: Table, key: str) -> None:
        is_html = written.record_def.source.is_html
        names = _ONLY_FOUND if is_html else ("text", "html", "label")
        why = "is for what a selector finds" if is_html else "is for pages of HTML"
        for name in names:
            if name in node.entries:
                self._findings.error(node.keys[name], key, f"{name} {why}", "remove it")

    def _check_replace(self, node: Table, key: str) -> None:
        pairs = node.entries.get("replace")
        for pair in pairs.entries if isinstance(pairs, Listing) else ():
            if isinstance(pair, Listing) and len(pair.entries) != 2:
                number = "1 text" if len(pair.entries) == 1 else f"{len(pair.entries)} texts"
                what = f"an entry of replace has {number}, but must have two"
                self._findings.error(
                    pair.place, f"{key}.replace", what, 'write `[ "pattern", "replacement" ]`'
                )

    def _check_follow(self, node: Table, field: FieldDef, key: str) -> None:
        for name in ("once", "links"):
            if name in node.entries and not field.follow:
                what = f"{name} has no effect without follow in field {field.name}"
                self._findings.error(node.keys[name], key, what, "add `follow: GROUP`, or remove it")
        self._check_links(node, field, f"{key}.links")
        if not field.follow:
            return
        if field.follow not in self._groups:
            what = f"there is no task group {field.follow} to follow"
            self._findings.unknown(node.at("follow"), f"{key}.follow", what, field.follow, self._groups)
        if field.type not in _LEADING_TYPES:
            what = f"field {field.name} is followed, but its type {field.type} is not an address"
            self._findings.error(_place_of_type(node, "follow"), key, what, "write `type: url`")

    def _check_download(self, written: WrittenRecordDef, field: FieldDef, node: Table, key: str) -> None:
        if DOWNLOAD not in node.entries:
            return
        names = [f"record.{column.name}" for column in written.record_def.schema.all_columns]
        has_many = written.record_def.each is not None or field.is_list
        check_download(node, key, names, self._findings, self._checkers.path, has_many=has_many)
        if field.follow:
            what = f"field {field.name} is both followed and downloaded"
            self._findings.error(node.keys[DOWNLOAD], key, what, "give one of them a field of its own")
        if field.type != "url":
            what = f"field {field.name} is downloaded, but its type {field.type} is not an address"
            place = _place_of_type(node, DOWNLOAD)
            self._findings.error(place, key, what, "write `type: url`, or remove the type")

    def _check_links(self, node: Table, field: FieldDef, key: str) -> None:
        rules, links = field.links, node.table("links")
        if rules is None or links is None:
            return
        self._ends.check_text(links, key)
        for name, value in (("depth", rules.bounds.depth), ("pages", rules.bounds.pages)):
            if value is not None and value < 1:
                what = (
                    f"a depth of {value} leads nowhere"
                    if name == "depth"
                    else f"{value} pages are not a list"
                )
                self._findings.error(links.at(name), f"{key}.{name}", what, "write a number from 1")
        for name, patterns in (("allow", rules.allow), ("deny", rules.deny)):
            for pattern in patterns:
                if (fault := self._checkers.regex(pattern.text)) is not None:
                    what = f"the pattern is wrong: {fault.what}"
                    self._findings.error(pattern.place, f"{key}.{name}", what, fault.hint)

    def _check_names(self, written: WrittenRecordDef) -> None:
        known: dict[str, Place] = {}
        for column in written.record_def.schema.all_columns:
            first = known.setdefault(column.name, column.place)
            if first != column.place:
                what = f"two columns of {written.record_def.name} are called {column.name}"
                hint = "rename the field; a price has a second column with the suffix _currency"
                self._findings.error(column.place, written.key, what, hint, also=first)

    def _check_key(self, written: WrittenRecordDef) -> None:
        known = [column.name for column in written.record_def.schema.columns]
        node = written.node.entries.get("key")
        for entry in node.entries if isinstance(node, Listing) else ():
            if isinstance(entry, Text) and entry.text not in known:
                what = f"the key {entry.text} is not a field of {written.record_def.name}"
                self._findings.unknown(entry.place, f"{written.key}.key", what, entry.text, known)

    def _check_expect(self, written: WrittenRecordDef) -> None:
        table = written.node.table("expect")
        known = [RECORDS, *(column.name for column in written.record_def.schema.columns)]
        for name, entry in table.entries.items() if table is not None else ():
            if table is None or not isinstance(entry, Text):
                continue
            key = f"{written.key}.expect.{name}"
            if name not in known:
                what = f"expect names {name}, which is not a field of {written.record_def.name}"
                self._findings.unknown(table.keys[name], key, what, name, known)
            elif read_expectation(name, entry.text) is None:
                what = f"{name} is {entry.text!r}, which is not an expectation"
                hint = (
                    'write a number of records, as in "20-" or "20-30"'
                    if name == RECORDS
                    else 'write a share, as in "95 %"'
                )
                self._findings.error(entry.place, key, what, hint)


def _place_of_type(node: Table, key: str) -> Place:
    """Where the type of a field is written; if it is inferred, the place of the key that it does not fit."""
    return node.at("type") if "type" in node.entries else node.keys[key]
