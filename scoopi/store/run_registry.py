"""RunRegistry: the names of the runs that a cluster knows."""

from __future__ import annotations

import msgspec

from scoopi.store.ports import MapName, Store

PREFIX = "runs/"
PAGE = 500


class KnownRun(msgspec.Struct, frozen=True):
    """The grid's record `runs/<name>`; `first` is the incarnation of the node that came first."""

    run: str
    first: str


class RunRegistry:
    """One record a run, in the map that belongs to no run; it ends with what is kept of the run.

    Args:
        grid: the maps that belong to no run, of settled answers.
    """

    def __init__(self, grid: Store) -> None:
        self._grid = grid

    def add(self, run: str, node: str) -> None:
        """Note the run, if it is not noted yet.

        Raises:
            StoreError: the grid does not answer.
        """
        record = msgspec.json.encode(KnownRun(run, node))
        self._grid.put_if_absent_all(MapName.RUN, [(self.key(run), record)])

    def key(self, run: str) -> str:
        """Of the run's record."""
        return PREFIX + run

    def names(self) -> list[str]:
        """The names of all runs, sorted.

        Raises:
            StoreError: the grid does not answer.
        """
        names: list[str] = []
        after = PREFIX
        while page := self._grid.scan(MapName.RUN, None, PAGE, after):
            after = page[-1][0]
            found = [key.removeprefix(PREFIX) for key, _ in page if key.startswith(PREFIX)]
            names += found
            if len(found) < len(page):
                break
        return sorted(names)
