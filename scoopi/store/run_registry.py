"""RunRegistry: the runs that a cluster knows, and in which maps each keeps its records."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

import msgspec

from scoopi.errors import StoreError
from scoopi.store.ports import Change, MapName, Store

PREFIX = "runs/"
PAGE = 500
TRIES = 20


class KnownRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """The grid's record `runs/<name>`.

    Attributes:
        run: its name.
        node: incarnation of the node that wrote this.
        maps: what its maps are named by; another with each life of a name.
        over: nobody takes part any more; what is kept of it ends by itself.
        gone: its maps are removed. The record stays, so that no life gets the maps of a former one.
    """

    run: str
    node: str
    maps: str
    over: bool = False
    gone: bool = False


class RunRegistry:
    """One record a run, in the map that belongs to no run.

    Records end by their time to live, but the maps of a run cost a member some megabytes even when they
    are empty: who comes later removes them. That is safe, as a name that returns gets other maps.

    Args:
        grid: the maps that belong to no run, of settled answers.
        is_kept: whether the run's record stands in the maps of that name.
        remove: removes the maps of that name; harmless when they are not there.
        node: incarnation of this node.

    Every method raises StoreError when the grid does not answer.
    """

    def __init__(
        self, grid: Store, is_kept: Callable[[str], bool], remove: Callable[[str], None], node: str
    ) -> None:
        self._grid = grid
        self._is_kept = is_kept
        self._remove = remove
        self._node = node

    def maps(self, run: str) -> str | None:
        """The maps of a run that is known, also when it is over; None of one that is not."""
        known, _ = self._read(run)
        return None if known is None or known.gone else known.maps

    def enter(self, run: str) -> tuple[str, bool]:
        """The maps of the run, and whether it is over: else it goes on there, or begins there now."""
        for _ in range(TRIES):
            known, stands = self._read(run)
            if known is None:
                self._grid.put_if_absent_all(MapName.RUN, [(PREFIX + run, self._record(run, run))])
            elif not self._has_ended(known):
                return known.maps, known.over
            else:
                self._remove(known.maps)
                new = self._record(run, f"{run}~{secrets.token_hex(4)}")
                self._grid.cas_all(MapName.RUN, [Change(PREFIX + run, stands, new)])
        raise StoreError(f"nodes cannot agree on the maps of the run {run}", mend="start this node again")

    def note_over(self, run: str) -> None:
        """The run is over; to be noted before the first of its records ends."""
        known, stands = self._read(run)
        if known is not None and not known.over:
            self._change(known, stands, over=True)

    def sweep(self) -> None:
        """Remove the maps of runs that are over and kept no longer."""
        for known, stands in list(self._all()):
            if not known.gone and self._has_ended(known):
                self._remove(known.maps)
                self._change(known, stands, over=True, gone=True)

    def names(self) -> list[str]:
        """The names of all runs of which something is kept, sorted."""
        return sorted(known.run for known, _ in self._all() if not self._has_ended(known))

    def _has_ended(self, known: KnownRun) -> bool:
        return known.gone or (known.over and not self._is_kept(known.maps))

    def _change(self, known: KnownRun, stands: bytes, over: bool, gone: bool = False) -> None:
        new = msgspec.json.encode(KnownRun(known.run, self._node, known.maps, over, gone))
        self._grid.cas_all(MapName.RUN, [Change(PREFIX + known.run, stands, new)])

    def _record(self, run: str, maps: str) -> bytes:
        return msgspec.json.encode(KnownRun(run, self._node, maps))

    def _read(self, run: str) -> tuple[KnownRun | None, bytes]:
        stands = self._grid.get_all(MapName.RUN, [PREFIX + run]).get(PREFIX + run)
        return (None, b"") if stands is None else (msgspec.json.decode(stands, type=KnownRun), stands)

    def _all(self) -> Iterator[tuple[KnownRun, bytes]]:
        after = PREFIX
        while page := self._grid.scan(MapName.RUN, None, PAGE, after):
            for after, stands in page:
                if not after.startswith(PREFIX):
                    return
                yield msgspec.json.decode(stands, type=KnownRun), stands
