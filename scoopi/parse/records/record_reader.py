"""RecordReader: reads the records of pages by one definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from scoopi.errors import ConvertError
from scoopi.model.locator import Link
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.records.record_schema import RecordRow, Records, Rejection, Value
from scoopi.model.report.counter_names import (
    ABSENT,
    EXAMPLE,
    FIELD,
    PAGES,
    REJECTED,
    ROWS,
    UNREADABLE,
    count_name,
)
from scoopi.model.scrape.task_def import TaskGroup
from scoopi.parse.link_filter import LinkCounts, LinkFilter
from scoopi.parse.records.conversion import Raw
from scoopi.parse.records.field_reader import FieldReader, Reading, RecordRoot, RunScript
from scoopi.parse.records.page_facts import PageFacts
from scoopi.parse.records.record_source import RootOf
from scoopi.parse.tree.page import Page
from scoopi.parse.values.price_text import Price

FoundRaws = Sequence[Sequence[Raw]] | None
"""The raw values of each field of a record; None if each field must be evaluated."""
LONGEST_EXAMPLE = 60
"""Number of characters to which the message about an unreadable value is shortened."""

Each = Callable[[RecordRoot], Sequence[RecordRoot]]
"""Root -> elements of the records, in document order."""
ReadAll = Callable[[Sequence[RecordRoot]], list[Sequence[Sequence[Raw]]]]
"""Elements of the records -> for each, the raw values of each field, in order. The entries of fields that are
read in another way have no meaning."""


class Follows(NamedTuple):
    """How a field's links are followed.

    Attributes:
        group: name of the task group that they lead to.
        once: follow an address only once for each locator.
        once_per_run: follow an address only once in the whole run.
        parents: fields of the record that the group's definitions use.
        is_absolute: the field's values are already absolute addresses.
        filter: decides which links are followed; None for all.
        counts: counts the links that are not followed; None if `filter` is.
    """

    group: str
    once: bool
    once_per_run: bool
    parents: tuple[str, ...]
    is_absolute: bool
    filter: LinkFilter | None = None
    counts: LinkCounts | None = None

    @classmethod
    def of(cls, field: FieldDef, data_def: str, group: TaskGroup | None, regex_timeout_ms: int) -> Follows:
        """Read how links are followed from the definition of their field.

        A page whose rows depend on the locator is read once for each locator that leads to it, even with
        `once: run`.

        Args:
            data_def: name of the definition that the field belongs to.
            group: the task group that the links lead to; None if it is not known.
        Raises:
            ParseError: a pattern of the link rules is wrong.
        """
        once_per_run = field.once == "run" and group is not None and not group.uses_locator
        once = field.once != "false" and not once_per_run
        parents = group.parents if group is not None else ()
        is_absolute = field.type == "url"
        if field.links is None:
            return cls(field.follow, once, once_per_run, parents, is_absolute)
        chosen, counts = LinkFilter(field.links, regex_timeout_ms), LinkCounts(data_def, (FIELD, field.name))
        return cls(field.follow, once, once_per_run, parents, is_absolute, chosen, counts)


class RecordReader:
    """Reads the records of pages by one definition. Not thread-safe.

    Args:
        definition: what to read.
        fields: its fields, compiled.
        root_of: page -> the root in which `each` and the fields search.
        each: finds the elements of the records; None for one record a page.
        read_all: finds the raw values of all fields at once; None to evaluate each field on its own.
        follows: field name -> how its links are followed.
    """

    def __init__(
        self,
        definition: RecordDef,
        fields: Sequence[FieldReader],
        root_of: RootOf,
        each: Each | None,
        read_all: ReadAll | None,
        follows: Mapping[str, Follows],
    ) -> None:
        self._definition = definition
        self._fields = [(at, field, field.definition.column_names) for at, field in enumerate(fields)]
        self._root_of = root_of
        self._each = each
        self._read_all = read_all
        self._follows = follows

    def read(self, source: Page, facts: PageFacts, script: RunScript | None = None) -> Records:
        """The records of one page, in document order.

        Args:
            source: the page.
            script: runs the scripts of the definition; None if it has none.
        Raises:
            ParseError: the page lacks the source of the records, or a selector failed on it.
            ConvertError: a value could not be converted, and its field demands that the task fails.
        """
        reading = Reading(self._root_of(source), facts, script)
        page = _PageRecords(self._definition, reading)
        contexts = (reading.root,) if self._each is None else self._each(reading.root)
        all_found = self._read_all(contexts) if self._read_all is not None else repeat(None)
        for context, found in zip(contexts, all_found, strict=False):
            reading.index += 1
            self._read_one(context, found, reading, page)
        return page.records()

    def _read_one(self, context: RecordRoot, found: FoundRaws, reading: Reading, page: _PageRecords) -> None:
        record: dict[str, Value] = {}
        reading.known = record
        absent: list[FieldDef] = []
        for at, field, names in self._fields:
            raws = found[at] if found is not None and field.is_found else field.read(reading, context)
            is_kept = raws and field.conversion.is_plain
            if is_kept and type(raw := raws[0]) is str and raw and not raw.isspace():
                record[names[0]] = raw  # same result as the conversion
                continue
            unread: list[ConvertError] = []
            value = field.convert(raws, reading.facts, unread)
            definition = field.definition
            if unread:
                value = page.unreadable(definition, raws, unread, value)
                if definition.on_error == "reject":
                    page.reject(record, definition, f"{definition.name} cannot be read: {unread[0].what}")
                    return
            elif value is None:
                if definition.required:
                    page.reject(record, definition, f"the required field {definition.name} is missing")
                    return
                absent.append(definition)
            if value is None:
                value = field.conversion.default(reading.facts)
                if value is None and definition.required:
                    page.reject(record, definition, f"the required field {definition.name} is missing")
                    return
            record[names[0]] = value
            if len(names) > 1:
                record[names[0]], record[names[1]] = _split(value)
        page.add(record, absent)
        for name, follows in self._follows.items():
            page.follow(record, name, follows)


def _split(value: Value) -> tuple[Value, Value]:
    """Amount and currency of a price, or of a list of prices."""
    if isinstance(value, list):
        prices = [_split(each) for each in value]
        return [amount for amount, _ in prices], [currency for _, currency in prices]
    return value if isinstance(value, Price) else (value, None)


class _PageRecords:
    """Collects the records of one page."""

    def __init__(self, definition: RecordDef, reading: Reading) -> None:
        self._definition = definition
        self._facts = reading.facts
        self._meta = tuple(reading.facts.meta(column.name) for column in definition.schema.meta)
        self._rows: list[RecordRow] = []
        self._rejections: list[Rejection] = []
        self._links: list[Link] = []
        self._finds: Counter[str] = Counter()

    def add(self, record: dict[str, Value], absent: Sequence[FieldDef]) -> None:
        """Add a complete record."""
        self._rows.append((*self._meta, *record.values()))
        for field in absent:
            self._count(ABSENT, field)

    def reject(self, record: dict[str, Value], field: FieldDef, reason: str) -> None:
        """Add the rejection of an element that gives no record."""
        self._rejections.append(
            Rejection(reason, field.name, self._facts.url, str(field.read_at), dict(record))
        )
        self._count(REJECTED, field)

    def unreadable(
        self, field: FieldDef, raws: Sequence[Raw], unread: Sequence[ConvertError], value: Value
    ) -> Value:
        """Count values that could not be converted, and return the value that the field gets.

        Raises:
            ConvertError: the field has `onError: fail`.
        """
        first = unread[0]
        if field.on_error == "fail":
            raise ConvertError(
                f"field {field.name}: {first.what}",
                at=str(field.read_at),
                hint=first.hint,
                cause=f"a value of the field {field.name} cannot be converted",
            )
        key = (FIELD, field.name)
        self._finds[count_name(UNREADABLE, self._definition.name, key)] += len(unread)
        self._finds[f"{count_name(EXAMPLE, self._definition.name, key)}\x1f{_shown(first)}"] = 1
        if field.on_error == "keep" and raws:
            return [str(raw) for raw in raws] if field.is_list else str(raws[0])
        return value

    def follow(self, record: dict[str, Value], name: str, follows: Follows) -> None:
        """Add links to the addresses in a field."""
        value = record[name]
        for url in value if isinstance(value, list) else (value,):
            if url is not None:
                parent = {each: record.get(each) for each in follows.parents}
                address = str(url) if follows.is_absolute else self._facts.absolute(str(url))
                bounds = None
                if follows.filter is not None and follows.counts is not None:
                    refusal = follows.filter.refusal(address, self._facts.locator.url)
                    follows.counts.note(refusal, address, self._finds)
                    if refusal:
                        continue
                    bounds = follows.filter.bounds
                self._links.append(
                    Link(follows.group, address, follows.once, follows.once_per_run, parent, bounds)
                )

    def records(self) -> Records:
        """Everything that was collected."""
        name = self._definition.name
        self._finds[count_name(PAGES, name)] = 1
        self._finds[count_name(ROWS, name)] = len(self._rows)
        return Records(
            name, tuple(self._rows), tuple(self._rejections), tuple(self._links), dict(self._finds)
        )

    def _count(self, kind: str, field: FieldDef) -> None:
        self._finds[count_name(kind, self._definition.name, (FIELD, field.name))] += 1


def _shown(error: ConvertError) -> str:
    text = error.what if len(error.what) <= LONGEST_EXAMPLE else error.what[:LONGEST_EXAMPLE] + "…"
    return "".join(sign if sign.isprintable() else " " for sign in text)
