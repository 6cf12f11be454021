"""The cost of a grant is measured on the clock that the task runner uses."""

from __future__ import annotations

from tests.benchmarks.runs.politeness_cost import VARIANTS, grant_us


def test_a_cycle_of_a_grant_takes_some_time() -> None:
    assert grant_us() > 0


def test_each_part_is_switched_off_by_a_setting() -> None:
    assert VARIANTS["both, as by default"] == {}
    assert VARIANTS["neither"] == VARIANTS["retries"] | VARIANTS["robots.txt"]
