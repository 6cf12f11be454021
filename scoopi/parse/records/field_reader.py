"""FieldReader: reads one field of a record, from the element to the value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from scoopi.model.records.record_def import FieldDef
from scoopi.model.records.record_schema import Value
from scoopi.model.report.finds import FIELD
from scoopi.parse.records.conversion import Conversion, Raw
from scoopi.parse.records.page_facts import PageFacts, compile_constant
from scoopi.parse.timing.stopwatch import Timed, untimed

RecordRoot = Any
"""The element of a record, or a value of the page's data."""
Find = Callable[[RecordRoot], Sequence[Raw]]
"""What a field finds in the element of its record, or in the root of the page."""
RunScript = Callable[[str, dict[str, Value]], str | None]
"""A field's script, the values of the fields before it -> its result as text."""


@dataclass(slots=True)
class Reading:
    """One page while its records are read.

    Attributes:
        root: of the page, or of its data.
        script: runs the scripts of the definition; None if it has none.
        index: number of the record, from 1.
        known: the record's fields so far, by column.
    """

    root: RecordRoot
    facts: PageFacts
    script: RunScript | None = None
    index: int = 0
    known: dict[str, Value] = field(default_factory=dict)


ReadField = Callable[[Reading, RecordRoot], Sequence[Raw]]


class FieldReader:
    """Reads one field of a record, from the element to the value.

    Args:
        definition: of the field.
        find: None for a field that is not read from the page's content.
        zone: of dates without one.
        timed: may take the time of reading and converting.
    Raises:
        ParseError: a part of the definition is wrong.

    Attributes:
        is_found: whether it is found in the element of the record.
        read: what is found, before it is converted.
        conversion: of what is found; `convert` gives its values.
    """

    def __init__(
        self,
        definition: FieldDef,
        find: Find | None,
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


def _read_of(definition: FieldDef, find: Find | None) -> ReadField:
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
