"""HammerTally: what the rounds of a hammer came to, in words."""

from __future__ import annotations

from collections import defaultdict

from tests.cluster.hammers.hammer_round import HammerResult


class HammerTally:
    """Counts rounds; each that is not exact is shown by its absence."""

    def __init__(self) -> None:
        self._rounds = 0
        self._results: defaultdict[str, list[HammerResult]] = defaultdict(list)

    @property
    def is_exact(self) -> bool:
        """Whether all rounds were."""
        return self._exact == self._rounds

    @property
    def _exact(self) -> int:
        return sum(map(len, self._results.values()))

    def wrong(self) -> None:
        """A round broke a promise."""
        self._rounds += 1

    def exact(self, result: HammerResult) -> str:
        """A round kept all promises; says so."""
        self._rounds += 1
        self._results[result.blow].append(result)
        hit = "" if result.hit else " after the end"
        return f"exact, {result.seconds:.1f} s, {result.blow}{hit}, recovered in {result.recovery_s:.1f} s"

    def text(self) -> str:
        """All rounds, one kind of blow a line, their sum last."""
        lines = [f"{blow}: {_reported(results)}" for blow, results in sorted(self._results.items())]
        every = [result for results in self._results.values() for result in results]
        return "\n".join([*lines, f"{self._exact} of {self._rounds} exact: {_reported(every)}"])


def _reported(results: list[HammerResult]) -> str:
    if not results:
        return "no round"
    mean_s = sum(result.seconds for result in results) / len(results)
    hits, slowest_s = sum(result.hit for result in results), max(result.recovery_s for result in results)
    return (
        f"{len(results)} rounds of {mean_s:.1f} s on average, {hits} hit while nodes ran, "
        f"slowest recovery {slowest_s:.1f} s"
    )
