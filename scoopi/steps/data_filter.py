"""DataFilter: the step that drops rows that match a filter of their data definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scoopi.java.java_blank import is_blank
from scoopi.model.data import Axis, Data, Item
from scoopi.model.data_def import DataDef, FilterDef
from scoopi.model.handover import Handover, Payload, ToTask
from scoopi.steps.step import Step
from scoopi.steps.text_pattern import TextPattern

_BLANK = " "
_OF_MATCH = "match"
_MOST_VERDICTS, _LONG = 10_000, 500
"""Number of verdicts that a filter caches, and length of the longest value whose verdict is cached."""


class DataFilter(Step):
    """Drops a row if any of its axes matches any filter of the axis' item.

    A filter of type `match` tests the axis' `match`, any other filter its value. A pattern of one space
    matches blank text and null. Any other pattern matches text that equals it, or that it matches as a whole
    as a regular expression. In a task that makes links, the value of an item is the raw one, before its
    prefix.

    Args:
        data_def: the data definition with the filters.
        timeout_ms: timeout of one regular expression match, in milliseconds.
    """

    def __init__(self, data_def: DataDef, *, timeout_ms: int) -> None:
        every = (*data_def.items, *data_def.dims, *data_def.facts)
        filters = {item.name: item.filters for item in every if item.filters}
        self._of_matches = _verdicts(filters, timeout_ms, of_matches=True)
        self._of_values = _verdicts(filters, timeout_ms, of_matches=False)

    def run(self, payload: Payload) -> Handover:
        """Drop the rows that match a filter.

        Raises:
            ParseError: a pattern is not a valid regular expression, or takes too long.
        """
        data = payload.expect(Data)
        if not (self._of_values or self._of_matches) or not data.items:
            return ToTask(payload)
        kept = list(self._kept(data.items))
        return ToTask(payload if len(kept) == len(data.items) else payload.advance(data.with_items(kept)))

    def _kept(self, items: Iterable[Item]) -> Iterable[Item]:
        axes: tuple[Axis, ...] | None = None
        tests: Tests = ()
        dropped = False
        for item in items:
            its_axes, values, _ = item
            if its_axes is not axes and its_axes != axes:
                axes = its_axes
                dropped, tests = self._tests(axes)
            if dropped:
                continue
            for position, verdicts in tests:
                if verdicts[values[position]]:
                    break
            else:
                yield item

    def _tests(self, axes: tuple[Axis, ...]) -> tuple[bool, Tests]:
        """Return whether a `match` drops all rows with these axes, and the tests of their values."""
        tests: list[tuple[int, _Verdicts]] = []
        for position, axis in enumerate(axes):
            of_match = self._of_matches.get(axis.item_name)
            if of_match is not None and of_match[axis.match]:
                return True, ()
            of_value = self._of_values.get(axis.item_name)
            if of_value is not None:
                tests.append((position, of_value))
        return False, tuple(tests)


class _Verdicts(dict[str | None, bool]):
    """Caches whether a value drops its row, as most values of a site occur on many pages."""

    def __init__(self, filters: Sequence[_Filter]) -> None:
        super().__init__()
        self._filters = filters

    def __missing__(self, value: str | None) -> bool:
        verdict = any(each.matches(value) for each in self._filters)
        if value is None or len(value) <= _LONG:
            if len(self) >= _MOST_VERDICTS:
                self.clear()
            self[value] = verdict
        return verdict


Tests = tuple[tuple[int, _Verdicts], ...]
"""(position of an axis in its rows, value -> whether it drops the row) for each axis with filters."""


class _Filter:
    """One filter; a pattern of one space matches blank text and null."""

    def __init__(self, definition: FilterDef, timeout_ms: int) -> None:
        self._is_blank = definition.pattern == _BLANK
        self._pattern = TextPattern(definition.pattern, timeout_ms, definition.place)

    def matches(self, subject: str | None) -> bool:
        if subject is None or (self._is_blank and is_blank(subject)):
            return self._is_blank
        return self._pattern.matches(subject)


def _verdicts(
    filters: Mapping[str, Sequence[FilterDef]], timeout_ms: int, *, of_matches: bool
) -> dict[str, _Verdicts]:
    """Name of an item -> the verdicts of its filters, either of those of type `match` or of the others."""
    chosen = {
        name: [_Filter(test, timeout_ms) for test in tests if (test.type == _OF_MATCH) is of_matches]
        for name, tests in filters.items()
    }
    return {name: _Verdicts(tests) for name, tests in chosen.items() if tests}
