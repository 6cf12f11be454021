"""ExpectedRecords: checks whether the records of a run meet the expectations of their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scoopi.model.handover import Part
from scoopi.model.records import Expectation, RecordSchema, read_records
from scoopi.outputs.output_spec import OutputSpec

Found = Mapping[str, Mapping[str, int]]
"""Data definition -> field -> number of records in which it has a value; RECORDS -> number of all records."""
RECORDS = "records"
"""The key of the number of all records."""


class ExpectedRecords:
    """Checks whether the records of a run meet the expectations of their definitions.

    Counts the records of data definitions with expectations, and the values of their fields. Records that are
    dropped as duplicates by key count, too. Data definitions without expectations cost nothing.

    Attributes:
        unmet: one sentence for each expectation that is not met; empty before `judge`.
        failed: names of the data definitions whose expectations are not met.
    """

    def __init__(self, outputs: Sequence[OutputSpec]) -> None:
        self._counts: dict[str, _Counts] = {}
        self._streams: dict[str, _Counts] = {}
        for spec in outputs:
            if spec.schema is not None and spec.schema.expect:
                counts = self._counts.setdefault(spec.schema.name, _Counts(spec.schema))
                self._streams |= dict.fromkeys(spec.streams, counts)
        self.unmet: tuple[str, ...] = ()
        self.failed: frozenset[str] = frozenset()

    def add(self, part: Part) -> None:
        """Count the records of a part of a frame."""
        counts = self._streams.get(part.output)
        if counts is not None:
            counts.add(part.body)

    def found(self) -> Found:
        """The counts; empty if nothing is expected."""
        return {name: counts.found() for name, counts in self._counts.items()}

    def judge(self, of_all: Found) -> None:
        """Check the expectations against the counts of all nodes."""
        found = {name: [*counts.unmet(of_all[name])] for name, counts in self._counts.items()}
        self.failed = frozenset(name for name, sentences in found.items() if sentences)
        self.unmet = tuple(sentence for sentences in found.values() for sentence in sentences)


class _Counts:
    def __init__(self, schema: RecordSchema) -> None:
        names = [column.name for column in schema.all_columns]
        self._schema = schema
        self._places = {
            each.subject: names.index(each.subject) for each in schema.expect if each.subject in names
        }
        self._filled = dict.fromkeys(self._places, 0)
        self._records = 0

    def add(self, body: bytes) -> None:
        records = list(read_records(body))
        self._records += len(records)
        for name, place in self._places.items():
            self._filled[name] += sum(record[place] is not None for record in records)

    def found(self) -> Mapping[str, int]:
        return {**self._filled, RECORDS: self._records}

    def unmet(self, found: Mapping[str, int]) -> Iterator[str]:
        records = found.get(RECORDS, 0)
        for each in self._schema.expect:
            if each.subject in self._places:
                filled = found.get(each.subject, 0)
                value = filled / records if each.is_share and records else filled
                shown = f"{each.subject} is filled in {filled} of {records} records"
            else:
                value, shown = records, f"there are {records} records"
            if not _meets(each, value):
                at = f"{each.place}: " if str(each.place) else ""
                yield f"{at}{self._schema.name}: {shown}, expected: {each.text}"


def _meets(expected: Expectation, value: float) -> bool:
    return expected.least <= value and (expected.most is None or value <= expected.most)
