"""FoundValues: counts what definitions find on pages, so that the summary can list what found nothing."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from scoopi.model.data import Data, Item
from scoopi.model.data_def import DataDef
from scoopi.model.records import Records
from scoopi.model.report.counter_names import (
    ENTRY_TIMES,
    EXAMPLE,
    LOADS,
    MET,
    PAGES,
    ROWS,
    SEPARATOR,
    TIMED,
    TIMES,
    AxisKey,
    count_name,
)
from scoopi.model.report.found_axes import axes_read, is_nothing

MOST_EXAMPLES = 10
"""Examples kept per field of values that could not be converted, in each worker; the summary shows one."""
_OF_EXAMPLE = EXAMPLE + SEPARATOR


class FoundValues:
    """Counts what definitions find on pages, so that the summary can list what found nothing.

    Of grids it counts pages, rows, and the axes that have ever had a value; an axis that has had one is not
    checked again, so that counting costs next to nothing. Of records it adds up the counts that reading them
    has made. It also adds up the time of tasks and entries, and the loads by loader.

    Args:
        data_defs: name -> definition.
        stands_for_nothing: texts that are written in place of a fact that is missing or blank.
    """

    def __init__(self, data_defs: Mapping[str, DataDef], stands_for_nothing: frozenset[str]) -> None:
        self._data_defs = data_defs
        self._unmet = {name: set(axes_read(each)) for name, each in data_defs.items()}
        self._stands_for_nothing = stands_for_nothing
        self._lock = threading.Lock()
        self._new: dict[str, _Counts] = {}
        self._of_records: defaultdict[str, float] = defaultdict(float)
        self._examples: Counter[str] = Counter()

    def note(self, *reads: Data | Records) -> None:
        """Count what the tasks of one page have read; called from one thread."""
        for read in reads:
            if isinstance(read, Data):
                self._note_rows(read)
            else:
                self._note_records(read)

    def counts_of(self, reads: Iterable[Data | Records]) -> dict[str, float]:
        """The counts of these reads alone, by name of the counter; they are not added to the others."""
        alone = FoundValues(self._data_defs, self._stands_for_nothing)
        alone.note(*reads)
        return alone.take()

    def _note_rows(self, data: Data) -> None:
        name = data.data_def
        unmet = self._unmet.get(name)
        if unmet is None:
            return
        met = self._meet(data.items, unmet) if unmet else ()
        with self._lock:
            counts = self._new.get(name)
            if counts is None:
                counts = self._new[name] = _Counts()
            counts.pages += 1
            counts.rows += len(data.items)
            counts.met += met

    def _note_records(self, records: Records) -> None:
        with self._lock:
            for name, value in records.finds.items():
                if name.startswith(_OF_EXAMPLE) and not self._is_wanted(name):
                    continue
                self._of_records[name] += value

    def _is_wanted(self, example: str) -> bool:
        """Whether an example is among the first of its field; it is a part of the counter's name."""
        if example in self._of_records:
            return True
        field = SEPARATOR.join(example.split(SEPARATOR)[:4])
        self._examples[field] += 1
        return self._examples[field] <= MOST_EXAMPLES

    def note_load(self, group: str, loader: str) -> None:
        """Count a page of a group with `loader: auto`, for the loader that it was loaded by.

        Callable from any thread.
        """
        name = count_name(LOADS, group, (loader, ""))
        with self._lock:
            self._of_records[name] += 1

    def note_time(self, group: str, task: str, seconds: float) -> None:
        """Add seconds to the time of a task; callable from any thread."""
        name = count_name(TIMES, group, (task, ""))
        with self._lock:
            self._of_records[name] += seconds

    def note_entry_times(self, data_def: str, times: Mapping[AxisKey, float]) -> None:
        """Add the seconds that each entry of a data definition took on a page; callable from any thread."""
        counts = {count_name(ENTRY_TIMES, data_def, entry): seconds for entry, seconds in times.items()}
        with self._lock:
            for name, value in (counts | {count_name(TIMED, data_def): 1}).items():
                self._of_records[name] += value

    def take(self) -> dict[str, float]:
        """The counts since the last call, by name of the counter; callable from any thread."""
        with self._lock:
            new, self._new = self._new, {}
            taken, self._of_records = dict(self._of_records), defaultdict(float)
        for name, counts in new.items():
            taken[count_name(PAGES, name)] = counts.pages
            taken[count_name(ROWS, name)] = counts.rows
            taken |= {count_name(MET, name, axis): 1 for axis in counts.met}
        return taken

    def _meet(self, items: Sequence[Item], unmet: set[AxisKey]) -> set[AxisKey]:
        """Remove from `unmet` the axes that have a value in one of the items, and return them."""
        before = set(unmet)
        for item in items:
            for axis, value in zip(item.axes, item.values, strict=True):
                key = axis.axis_name, axis.item_name
                if key in unmet and not is_nothing(axis.axis_name, value, self._stands_for_nothing):
                    unmet.discard(key)
            if not unmet:
                break
        return before - unmet


class _Counts(msgspec.Struct):
    """The counts of one data definition."""

    pages: int = 0
    rows: int = 0
    met: list[AxisKey] = []
