"""RunRegistry: the runs that a cluster knows, and in which maps each keeps its records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from scoopi.errors import RecordError, StoreError
from scoopi.store.ports import RUN, Change, Store, with_prefix
from scoopi.store.record_codec import RecordCodec, unreadable
from scoopi.store.retries import first_won
from scoopi.store.runs.known_run import PREFIX, KnownRun, other_maps
from scoopi.store.runs.run_record import RunPhase
from scoopi.store.runs.run_retention import WEEK_S, RunPulse

log = logging.getLogger(__name__)

PAGE = 500


class RunRegistry:
    """The runs that a cluster knows, and in which maps each keeps its records.

    One record a run, in the map that belongs to no run.

    Records end by their time to live, but the maps of a run cost a member some megabytes even when they
    are empty: a node that starts later removes them. That is safe, as a name that returns gets other maps.

    Args:
        grid: the maps that belong to no run, of settled answers.
        phase: the phase by the run's record in the maps of that name; None: it is not there any more,
            or not yet.
        remove: removes the maps of that name; harmless when they are not there.
        node: incarnation of this node.
        is_alive: whether a node works on the run in the maps of that name; may look on for a few heartbeats.

    Every method raises StoreError when the grid does not answer.
    """

    def __init__(
        self,
        grid: Store,
        phase: Callable[[str], RunPhase | None],
        remove: Callable[[str], None],
        node: str,
        is_alive: Callable[[str], bool] = lambda maps: True,
    ) -> None:
        self.is_alive = is_alive
        self.pulse = RunPulse(grid)
        self._grid = grid
        self._phase = phase
        self._remove = remove
        self._node = node
        self._codec = RecordCodec(RUN, KnownRun)

    def maps(self, run: str) -> str | None:
        """The maps of a run that is known, also when it is over; None of one that is not, or no longer."""
        known, _ = self._read(run)
        return None if known is None or self._has_ended(known) else known.maps

    def enter(self, run: str, keep_s: int = WEEK_S) -> tuple[str, bool]:
        """The maps of the run, and whether it is over: else it continues there, or begins there now.

        Args:
            keep_s: how long it is kept after its last heartbeat, should it stay unfinished.
        """
        return first_won(
            lambda: self._entered(run, keep_s),
            f"nodes could not agree on the maps of the run {run}",
            hint="start this node again",
        )

    def _entered(self, run: str, keep_s: int) -> tuple[str, bool] | None:
        """None: its record has changed just now."""
        known, stands = self._read(run)
        if known is None:
            self._grid.put_if_absent_all(RUN, [(PREFIX + run, self._new_record(run, run, keep_s))])
            return None
        if known.gone and not known.ends:
            raise StoreError(f"the run {run} is being removed", hint="try again")
        if self._has_ended(known):
            self._remove_all(known)
            new = self._new_record(run, other_maps(run), keep_s)
            self._grid.cas_all(RUN, [Change(PREFIX + run, stands, new)])
            return None
        if not known.over:
            self.pulse.renew(known.maps, keep_s)
            if self.is_gone(run, known.maps):
                return None
        return known.maps, known.over

    def renew(self, run: str, maps: str, keep_s: int = WEEK_S) -> tuple[str, bool]:
        """Like `enter`, for a run whose data is lost in these maps: its name gets others, once."""
        known, stands = self._read(run)
        if known is not None and known.maps == maps:
            new = self._new_record(run, other_maps(run), keep_s)
            if self._grid.cas_all(RUN, [Change(PREFIX + run, stands, new)])[0].won:
                self._remove_all(known)
        return self.enter(run, keep_s)

    def reopen(self, run: str, keep_s: int = WEEK_S) -> bool:
        """Give a run that is over, and still kept, other maps to continue in; they are filled by ReopenedRun.

        Its records in the maps before have an end already, which a member that fills up may not lift.

        Returns:
            Whether this node did it; False: the run is not over, or another node was first.
        """
        known, stands = self._read(run)
        if known is None or known.gone or self._phase(known.maps) is not RunPhase.OVER:
            return False
        if known.before is not None:  # of the time before that: what it knew is in the maps since
            self._remove(known.before)
        maps = other_maps(run)
        new = self._new_record(run, maps, keep_s, before=known.maps)
        if self._grid.cas_all(RUN, [Change(PREFIX + run, stands, new)])[0].won:
            return True
        self.pulse.end(maps)
        return False

    def before(self, run: str) -> str | None:
        """The maps that a run was over in when it was reopened; None of all others."""
        known, _ = self._read(run)
        return None if known is None or known.gone else known.before

    def note_over(self, run: str, maps: str) -> None:
        """The incarnation in these maps is over; to be noted before the first of its records expires."""
        self._note(run, maps, ends=False)

    def note_ends(self, run: str, maps: str) -> None:
        """Each record in these maps has an end now."""
        self._note(run, maps, ends=True)

    def sweep(self, end: Callable[[str, str], None]) -> None:
        """Remove the maps of runs that are over and kept no longer.

        Args:
            end: given the name and the maps of a run that is over, and whose last node died before it had
                noted that all records have an end; or it is just about it: both may do it.
        """
        for known, stands in list(self._all()):
            if known.gone:
                if not known.ends:  # the node that was about to remove them has crashed
                    self._remove_gone(known.run)
                continue
            if self._is_left_for_good(known):
                self._abandon(known, stands)
                continue
            try:
                phase = self._phase(known.maps)
            except RecordError as error:
                log.warning("run %s: it is left as it is: %s", known.run, error)
                continue
            if phase is None and known.over:
                self._remove_all(known)
                self._change(known, stands, ends=True, gone=True)
            elif phase is RunPhase.OVER and not known.ends:
                end(known.run, known.maps)

    def forget(self, run: str) -> None:
        """Remove a run with all that is kept of it, whatever state it is in.

        A node that still works on it finds that its data is lost, and ends.
        """
        first_won(lambda: self._forgot(run) or None, f"the run {run} could not be removed")

    def _forgot(self, run: str) -> bool:
        """False: its record has changed just now."""
        try:
            known, stands = self._read(run)
        except RecordError:
            # Which maps it had cannot be read: the first incarnation of a name has those of its name.
            self._remove(run)
            self._grid.delete_all(RUN, [PREFIX + run])
            return True
        if known is None or (known.gone and known.ends):
            return True
        if known.gone or self._change(known, stands, ends=False, gone=True):
            self._remove_gone(run)
            return True
        return False

    def is_gone(self, run: str, maps: str) -> bool:
        """Whether the maps of this incarnation of the run are removed, or belong to an earlier one."""
        known, _ = self._read(run)
        return known is None or known.gone or known.maps != maps

    def kept(self) -> dict[str, str]:
        """The maps of each run of which something is kept, by its name, sorted."""
        return dict(sorted((known.run, known.maps) for known, _ in self._all() if not self._has_ended(known)))

    def _is_left_for_good(self, known: KnownRun) -> bool:
        """Whether it is unfinished, its time is over, and no node has a heartbeat or came back meanwhile."""
        try:
            return (
                not known.over
                and not self.pulse.seconds(known.maps)
                and not self.is_alive(known.maps)
                and not self.pulse.seconds(known.maps)
            )
        except RecordError as error:
            log.warning("run %s: it is left as it is: %s", known.run, error)
            return False

    def _abandon(self, known: KnownRun, stands: bytes) -> None:
        """Remove it unless a node comes meanwhile, which renews its time before it reads this record."""
        if not self._change(known, stands, ends=False, gone=True):
            return
        gone, now = self._read(known.run)
        if gone is not None and gone.maps == known.maps and self.pulse.seconds(known.maps):
            self._grid.cas_all(RUN, [Change(PREFIX + known.run, now, stands)])
            return
        log.warning("run %s: unfinished, and without a heartbeat for too long: it is removed", known.run)
        self._remove_gone(known.run)

    def _remove_gone(self, run: str) -> None:
        known, stands = self._read(run)
        if known is not None and known.gone:
            self._remove_all(known)
            self.pulse.end(known.maps)
            self._change(known, stands, ends=True, gone=True)

    def _has_ended(self, known: KnownRun) -> bool:
        try:
            return known.gone or (known.over and self._phase(known.maps) is None)
        except RecordError:
            return False

    def _note(self, run: str, maps: str, ends: bool) -> None:
        """Nothing is noted for another incarnation: a node that was asleep at the end comes too late."""

        def once() -> bool | None:
            known, stands = self._read(run)
            if known is None or known.maps != maps or (known.over and known.ends >= ends):
                return True
            self._change(known, stands, ends or known.ends)
            return None  # reads what stands

        first_won(once, f"the end of the run {run} could not be noted")

    def _change(self, known: KnownRun, stands: bytes, ends: bool, gone: bool = False) -> bool:
        new = self._codec.written(KnownRun(known.run, self._node, known.maps, True, ends, gone, known.before))
        return self._grid.cas_all(RUN, [Change(PREFIX + known.run, stands, new)])[0].won

    def _remove_all(self, known: KnownRun) -> None:
        self._remove(known.maps)
        if known.before is not None:
            self._remove(known.before)

    def _new_record(self, run: str, maps: str, keep_s: int, before: str | None = None) -> bytes:
        """Of a run that begins in these maps. Its time begins first: a sweep must not find it without any."""
        self.pulse.renew(maps, keep_s)
        return self._codec.written(KnownRun(run, self._node, maps, before=before))

    def _read(self, run: str) -> tuple[KnownRun | None, bytes]:
        stands = self._grid.get_all(RUN, [PREFIX + run]).get(PREFIX + run)
        return (None, b"") if stands is None else (self._known(PREFIX + run, stands), stands)

    def _known(self, key: str, stands: bytes) -> KnownRun:
        """Of another run, or in its maps, nothing is read, and above all nothing removed."""
        known = self._codec.read(key, stands)
        if not known.is_whole or PREFIX + known.run != key:
            raise unreadable(RUN, key, stands, "it names another run")
        return known

    def _all(self) -> Iterator[tuple[KnownRun, bytes]]:
        """Those that can be read: one bad record is a matter of its run alone."""
        for key, stands in with_prefix(self._grid, RUN, PAGE, PREFIX):
            try:
                known = self._known(key, stands)
            except RecordError as error:
                log.warning("a run is passed over: %s", error)
                continue
            yield known, stands
