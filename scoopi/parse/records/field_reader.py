"""FieldReader: reads one field of a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from scoopi.model.records.record_def import FieldDef
from scoopi.model.records.record_schema import Value
from scoopi.model.report.counter_names import FIELD
from scoopi.parse.records.conversion import Conversion, Raw
from scoopi.parse.records.page_facts import PageFacts, compile_constant
from scoopi.parse.timing.stopwatch import Timed, untimed

RecordRoot = Any
"""The element of a record, or the JSON value of a record."""
FindRaws = Callable[[RecordRoot], Sequence[Raw]]
"""Element of a record, or root of the page -> the raw values that a field finds."""
RunScript = Callable[[str, dict[str, Value]], str | None]
"""(a field's script, the values of the fields before it) -> its result as text."""


@dataclass(slots=True)
class Reading:
    """The state of one page while its records are read.

    Attributes:
        root: root of the page's tree, or of its data.
        facts: facts about the page besides its content.
        script: runs the scripts of the definition; None if it has none.
        index: number of the current record, from 1.
        known: column -> value, of the record's fields so far.
    """

    root: RecordRoot
    facts: PageFacts
    script: RunScript | None = None
    index: int = 0
    known: dict[str, Value] = field(default_factory=dict)


ReadField = Callable[[Reading, RecordRoot], Sequence[Raw]]


class FieldReader:
    """Reads one field of a record.

    Args:
        definition: the definition of the field.
        find: finds its raw values; None for a field that is not read from the page's content.
        regex_timeout_ms: time limit of one regular expression on one text.
        zone: time zone of dates without one; None leaves them without.
        timed: wraps reading and converting, to time them.
    Raises:
        ParseError: a part of the definition is wrong.

    Attributes:
        is_found: whether the field is found inside the element of the record.
        read: reads the raw values, given the state of the page and the root of the record.
        conversion: the field's conversion.
        convert: converts raw values; see `Conversion.value`.
    """

    def __init__(
        self,
        definition: FieldDef,
        find: FindRaws | None,
        regex_timeout_ms: int,
        zone: tzinfo | None = None,
        timed: Timed = untimed,
    ) -> None:
        self.definition = definition
        self.is_found = find is not None and not definition.page
        entries = [(FIELD, definition.name)]
        self.read = timed(entries, _read_of(definition, find))
        self.conversion = Conversion(definition, regex_timeout_ms, zone)
        self.convert = timed(entries, self.conversion.value)


def _read_of(definition: FieldDef, find: FindRaws | None) -> ReadField:
    if find is not None:
        return (
            (lambda reading, _: find(reading.root)) if definition.page else (lambda _, context: find(context))
        )
    if definition.parent is not None:
        return _parent(definition.parent, definition.is_list)
    if definition.script is not None:
        return _script(definition.script)
    constant = compile_constant(definition.value or "")

    def read(reading: Reading, context: RecordRoot) -> Sequence[Raw]:
        return (constant(reading.facts, reading.index),)

    return read


def _parent(name: str, is_list: bool) -> ReadField:
    def read(reading: Reading, context: RecordRoot) -> Sequence[Raw]:
        value = reading.facts.parent.get(name)
        return value if is_list and isinstance(value, list) else (value,)

    return read


def _script(text: str) -> ReadField:
    def read(reading: Reading, context: RecordRoot) -> Sequence[Raw]:
        assert reading.script is not None, "definitions with scripts are read with their runner"
        return (reading.script(text, reading.known),)

    return read
