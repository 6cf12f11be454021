"""HammerWatch: follows the attempts of the hammer's jobs, to say what a slow recovery was spent on."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType

from scoopi.errors import ScoopiError
from scoopi.model.schedule.schedule_records import CLAIMED, AttemptRecord
from scoopi.serve.state import State

POLL_S = 0.25
SLOW_S = 1.0
"""An answer that takes longer counts as an outage of the store, of that length."""
LEAST_S = 0.05
AWAY = "the store was away"
NONE = "without an attempt"
HELD, CLAIMED_AGAIN = "held by its former worker", "claimed, not begun"
Phase = tuple[float, str, int]
"""Since when, what its attempt was, and the fence of the attempt."""


class HammerWatch:
    """Follows the attempts of jobs in the records, in a thread, with a connection of its own. For a `with`.

    Args:
        open_state: connects to the records.
        clock: in seconds, that of the times that are asked about.
    """

    def __init__(self, open_state: Callable[[], State], clock: Callable[[], float]) -> None:
        self._open_state, self._clock = open_state, clock
        self._phases: dict[str, list[Phase]] = defaultdict(list)
        self._away: list[tuple[float, float]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="hammer-watch", daemon=True)

    def __enter__(self) -> HammerWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(60)

    def spent(self, job: str, since: float, until: float) -> str:
        """What a time was spent on, the longest part first, and how often the job was claimed in it."""
        parts: dict[str, float] = defaultdict(float)
        found = [*_within(self._phases.get(job, ()), since, until)]
        former = found[0][2:] if found else ()
        for begin, end, what, fence in found:
            away_s = sum(max(0.0, min(end, to) - max(begin, at)) for at, to in self._away)
            name = what if what != "claimed" else HELD if (what, fence) == former else CLAIMED_AGAIN
            parts[AWAY] += away_s
            parts[name] += end - begin - away_s
        claims = {each[2:] for each in found if each[2] == "claimed"} - {former}
        longest = sorted(parts.items(), key=lambda part: -part[1])
        texts = [f"{seconds:.1f} s {name}" for name, seconds in longest if seconds >= LEAST_S]
        return ", ".join([*texts, f"claimed {len(claims)} times"])

    def _watch(self) -> None:
        state: State | None = None
        while not self._stop.wait(POLL_S):
            began = self._clock()
            try:
                state = state or self._open_state()
                self._see(state.store.open_attempts())
            except ScoopiError:
                self._away.append((began, self._clock()))
                continue
            if self._clock() - began > SLOW_S:
                self._away.append((began, self._clock()))
        if state is not None:
            state.store.close()

    def _see(self, attempts: Sequence[AttemptRecord]) -> None:
        now = self._clock()
        found = {each.job: (_phase(each), each.fence) for each in attempts}
        for job in [*self._phases.keys() - found.keys()]:
            found[job] = NONE, 0
        for job, (what, fence) in found.items():
            before = self._phases[job]
            if not before or before[-1][1:] != (what, fence):
                before.append((now, what, fence))


def _phase(attempt: AttemptRecord) -> str:
    if attempt.status in CLAIMED:
        return "claimed"
    if attempt.worker:
        return "placed on a worker"
    return "without a worker"


def _within(phases: Sequence[Phase], since: float, until: float) -> Iterator[tuple[float, float, str, int]]:
    """The parts of a time, each with begin and end, and what is known of it."""
    ends = [*(at for at, _, _ in phases[1:]), until]
    begin = since
    for (_, what, fence), each in zip(phases, ends, strict=False):
        if (end := min(each, until)) > begin:
            yield begin, end, what, fence
            begin = end
