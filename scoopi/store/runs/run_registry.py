"""RunRegistry: the runs that a cluster knows, and the maps in which each has its records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from scoopi.errors import RecordError, StoreError
from scoopi.store.ports import PAGE, RUN, Change, Store, with_prefix
from scoopi.store.record_codec import RecordCodec, unreadable
from scoopi.store.retries import first_won
from scoopi.store.runs.known_run import PREFIX, KnownRun, other_maps
from scoopi.store.runs.run_keep_alive import WEEK_S, RunKeepAlive
from scoopi.store.runs.run_record import RunPhase

log = logging.getLogger(__name__)


class RunRegistry:
    """The runs that a cluster knows, and the maps in which each has its records.

    There is one record per run, in the map that belongs to no run.

    Records expire, but the maps of a run cost a member some megabytes even when they are empty, so a node
    that starts later removes them. That is safe, because a name that is used again gets other maps.

    Every method raises StoreError if the store does not answer. Maps are given and returned by their name,
    see `KnownRun.maps`.

    Args:
        shared_store: the store of the maps of no run; settles its writes, as `SettlingStore` does.
        phase: returns the phase in the run record in the given maps; None if it does not exist (any more).
        remove: removes the given maps; does nothing if they do not exist.
        node: incarnation of this node.
        is_alive: whether a node works on the run in the given maps; may block for a few heartbeats.
    """

    def __init__(
        self,
        shared_store: Store,
        phase: Callable[[str], RunPhase | None],
        remove: Callable[[str], None],
        node: str,
        is_alive: Callable[[str], bool] = lambda maps: True,
    ) -> None:
        self.is_alive = is_alive
        self.keep_alive = RunKeepAlive(shared_store)
        self._shared_store = shared_store
        self._phase = phase
        self._remove = remove
        self._node = node
        self._codec = RecordCodec(RUN, KnownRun)

    def maps(self, run: str) -> str | None:
        """The name of a run's maps; None if the run is not known, has expired, or was removed."""
        known, _ = self._read(run)
        return None if known is None or self._has_ended(known) else known.maps

    def enter(self, run: str, keep_s: int = WEEK_S) -> tuple[str, bool]:
        """Enter a run, which begins now if it is not known or no longer kept.

        Args:
            keep_s: how long an unfinished run is kept after its last heartbeat, in seconds.
        Returns:
            The name of the run's maps, and whether it is over.
        Raises:
            StoreError: the run is being removed, or the store does not answer; try again.
        """
        return first_won(
            lambda: self._entered(run, keep_s),
            f"nodes could not agree on the maps of the run {run}",
            hint="start this node again",
        )

    def _entered(self, run: str, keep_s: int) -> tuple[str, bool] | None:
        """One attempt of `enter`; None if the record has just changed."""
        known, stands = self._read(run)
        if known is None:
            self._shared_store.put_if_absent_all(RUN, [(PREFIX + run, self._new_record(run, run, keep_s))])
            return None
        if known.gone and not known.ends:
            raise StoreError(f"the run {run} is being removed", hint="try again")
        if self._has_ended(known):
            self._remove_all(known)
            new = self._new_record(run, other_maps(run), keep_s)
            self._shared_store.cas_all(RUN, [Change(PREFIX + run, stands, new)])
            return None
        if not known.over:
            self.keep_alive.renew(known.maps, keep_s)
            if self.is_gone(run, known.maps):
                return None
        return known.maps, known.over

    def renew(self, run: str, maps: str, keep_s: int = WEEK_S) -> tuple[str, bool]:
        """As `enter`, for a run whose data is lost: gives it new maps, unless another node has done so.

        Args:
            maps: the name of those with the lost data; they are removed.
        """
        known, stands = self._read(run)
        if known is not None and known.maps == maps:
            new = self._new_record(run, other_maps(run), keep_s)
            if self._shared_store.cas_all(RUN, [Change(PREFIX + run, stands, new)])[0].won:
                self._remove_all(known)
        return self.enter(run, keep_s)

    def reopen(self, run: str, keep_s: int = WEEK_S) -> bool:
        """Give a run that is over, and still kept, new maps to continue in; `ReopenedRun` fills them.

        The records in the old maps already have expiry times, which cannot be removed reliably.

        Returns:
            Whether this node reopened the run; False if the run is not over, or another node was first.
        """
        known, stands = self._read(run)
        if known is None or known.gone or self._phase(known.maps) is not RunPhase.OVER:
            return False
        if known.before is not None:  # from an earlier reopening; the records have been copied since
            self._remove(known.before)
        maps = other_maps(run)
        new = self._new_record(run, maps, keep_s, before=known.maps)
        if self._shared_store.cas_all(RUN, [Change(PREFIX + run, stands, new)])[0].won:
            return True
        self.keep_alive.end(maps)
        return False

    def before(self, run: str) -> str | None:
        """The name of the maps that a reopened run had until it was over; None for other runs."""
        known, _ = self._read(run)
        return None if known is None or known.gone else known.before

    def note_over(self, run: str, maps: str) -> None:
        """Record that the run in these maps is over; called before the first of its records may expire."""
        self._note(run, maps, ends=False)

    def note_ends(self, run: str, maps: str) -> None:
        """Record that each record in these maps has an expiry time."""
        self._note(run, maps, ends=True)

    def sweep(self, end: Callable[[str, str], None]) -> None:
        """Remove the maps of runs that are no longer kept: over, and expired; or unfinished, and abandoned.

        Args:
            end: called with the name and the maps of a run that is over, but whose records do not all have
                an expiry time yet, because its last node has crashed or is just setting them; setting them
                twice is harmless.
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
                log.warning("run %s is left unchanged: %s", known.run, error)
                continue
            if phase is None and known.over:
                self._remove_all(known)
                self._change(known, stands, ends=True, gone=True)
            elif phase is RunPhase.OVER and not known.ends:
                end(known.run, known.maps)

    def forget(self, run: str) -> None:
        """Remove a run and all its records, whatever state it is in.

        A node that still works on it finds that its data is lost, and ends.
        """
        first_won(lambda: self._forgot(run) or None, f"the run {run} could not be removed")

    def _forgot(self, run: str) -> bool:
        """One attempt of `forget`; False if the record has just changed."""
        try:
            known, stands = self._read(run)
        except RecordError:
            # The name of its maps cannot be read; those of a run's first incarnation have the run's name.
            self._remove(run)
            self._shared_store.delete_all(RUN, [PREFIX + run])
            known = None
        if known is None or (known.gone and known.ends):
            return True
        is_marked = known.gone or self._change(known, stands, ends=False, gone=True)
        if is_marked:
            self._remove_gone(run)
        return is_marked

    def is_gone(self, run: str, maps: str) -> bool:
        """Whether these maps of the run were removed or are about to be, or are not its current ones."""
        known, _ = self._read(run)
        return known is None or known.gone or known.maps != maps

    def kept(self) -> dict[str, str]:
        """Name -> maps of each run that is still kept, sorted by name."""
        return dict(sorted((known.run, known.maps) for known, _ in self._all() if not self._has_ended(known)))

    def _is_left_for_good(self, known: KnownRun) -> bool:
        """Whether a run is unfinished, its time has expired, and no node sends heartbeats or came back."""
        try:
            return (
                not known.over
                and not self.keep_alive.seconds(known.maps)
                and not self.is_alive(known.maps)
                and not self.keep_alive.seconds(known.maps)
            )
        except RecordError as error:
            log.warning("run %s is left unchanged: %s", known.run, error)
            return False

    def _abandon(self, known: KnownRun, stands: bytes) -> None:
        """Remove a run, unless a node joins, which renews the run's time before it reads this record."""
        if not self._change(known, stands, ends=False, gone=True):
            return
        gone, now = self._read(known.run)
        if gone is not None and gone.maps == known.maps and self.keep_alive.seconds(known.maps):
            self._shared_store.cas_all(RUN, [Change(PREFIX + known.run, now, stands)])
            return
        log.warning("run %s is unfinished and had no heartbeat for too long; it is removed", known.run)
        self._remove_gone(known.run)

    def _remove_gone(self, run: str) -> None:
        known, stands = self._read(run)
        if known is not None and known.gone:
            self._remove_all(known)
            self.keep_alive.end(known.maps)
            self._change(known, stands, ends=True, gone=True)

    def _has_ended(self, known: KnownRun) -> bool:
        try:
            return known.gone or (known.over and self._phase(known.maps) is None)
        except RecordError:
            return False

    def _note(self, run: str, maps: str, ends: bool) -> None:
        """Record the end of a run, unless its maps are others now, as for a node that was suspended."""

        def once() -> bool | None:
            """True if there is nothing left to record."""
            known, stands = self._read(run)
            if known is None or known.maps != maps or (known.over and known.ends >= ends):
                return True
            self._change(known, stands, ends or known.ends)
            return None  # read the record again

        first_won(once, f"the end of the run {run} could not be noted")

    def _change(self, known: KnownRun, stands: bytes, ends: bool, gone: bool = False) -> bool:
        new = self._codec.encode(KnownRun(known.run, self._node, known.maps, True, ends, gone, known.before))
        return self._shared_store.cas_all(RUN, [Change(PREFIX + known.run, stands, new)])[0].won

    def _remove_all(self, known: KnownRun) -> None:
        self._remove(known.maps)
        if known.before is not None:
            self._remove(known.before)

    def _new_record(self, run: str, maps: str, keep_s: int, before: str | None = None) -> bytes:
        """The record of a run that begins in these maps; its time is set first, for a concurrent sweep."""
        self.keep_alive.renew(maps, keep_s)
        return self._codec.encode(KnownRun(run, self._node, maps, before=before))

    def _read(self, run: str) -> tuple[KnownRun | None, bytes]:
        stands = self._shared_store.get_all(RUN, [PREFIX + run]).get(PREFIX + run)
        return (None, b"") if stands is None else (self._known(PREFIX + run, stands), stands)

    def _known(self, key: str, stands: bytes) -> KnownRun:
        """Decode a record; reject one that names another run or its maps, so that these are not removed."""
        known = self._codec.read(key, stands)
        if not known.has_own_maps or PREFIX + known.run != key:
            raise unreadable(RUN, key, stands, "it names another run")
        return known

    def _all(self) -> Iterator[tuple[KnownRun, bytes]]:
        """All records that can be decoded; a bad record only affects its own run."""
        for key, stands in with_prefix(self._shared_store, RUN, PAGE, PREFIX):
            try:
                known = self._known(key, stands)
            except RecordError as error:
                log.warning("a run is skipped: %s", error)
                continue
            yield known, stands
