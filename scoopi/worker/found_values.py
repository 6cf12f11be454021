"""FoundValues: counts which axes have ever had a value, so that the summary can list those that never had."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from scoopi.model.data import Data, Item
from scoopi.model.data_def import DataDef
from scoopi.model.report.finds import MET, PAGES, ROWS, axes_read, count_name, is_nothing


class FoundValues:
    """An axis that had a value once is not checked again, so that counting costs next to nothing.

    Args:
        data_defs: by name.
        stands_for_nothing: facts that are written where none is found, or a blank one.
    """

    def __init__(self, data_defs: Mapping[str, DataDef], stands_for_nothing: frozenset[str]) -> None:
        self._unmet = {name: set(axes_read(each)) for name, each in data_defs.items()}
        self._stands_for_nothing = stands_for_nothing
        self._lock = threading.Lock()
        self._new: dict[str, float] = {}

    def note(self, data: Data) -> None:
        """Count the rows that were read of one page; called from one thread."""
        name = data.data_def
        unmet = self._unmet.get(name)
        if unmet is None:
            return
        before = set(unmet)
        if unmet:
            self._meet(data.items, unmet)
        with self._lock:
            self._add(count_name(PAGES, name), 1)
            self._add(count_name(ROWS, name), len(data.items))
            for axis in before - unmet:
                self._add(count_name(MET, name, axis), 1)

    def take(self) -> dict[str, float]:
        """What was counted since the last call; from any thread."""
        with self._lock:
            new, self._new = self._new, {}
        return new

    def _add(self, name: str, value: float) -> None:
        self._new[name] = self._new.get(name, 0) + value

    def _meet(self, items: Sequence[Item], unmet: set[tuple[str, str]]) -> None:
        for item in items:
            for axis, value in zip(item.axes, item.values, strict=True):
                key = axis.axis_name, axis.item_name
                if key in unmet and not is_nothing(axis.axis_name, value, self._stands_for_nothing):
                    unmet.discard(key)
            if not unmet:
                return
