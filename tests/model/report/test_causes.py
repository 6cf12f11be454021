"""Causes: failures are counted by cause, in bounded memory."""

from __future__ import annotations

from scoopi.model.failure import Failure
from scoopi.model.report.causes import MOST_CAUSES, OTHER, Cause, Causes


def test_causes_are_counted_with_their_first_example_the_most_frequent_first() -> None:
    causes = Causes()
    first, second, other = Failure("b", "one"), Failure("b", "two"), Failure("a", "three")
    causes.add([other, first])
    causes.add([second])
    causes.add([Failure("c", "four")])
    assert causes.counted() == (
        Cause("b", 2, first),
        Cause("a", 1, other),
        Cause("c", 1, Failure("c", "four")),
    )


def test_after_many_causes_further_ones_are_one() -> None:
    causes = Causes()
    causes.add(Failure(str(number), "x") for number in range(MOST_CAUSES + 5))
    causes.add([Failure("0", "known")])
    counted = {each.cause: each.count for each in causes.counted()}
    assert len(counted) == MOST_CAUSES + 1
    assert (counted[OTHER], counted["0"]) == (5, 2)
