"""Counts of a distribution add up."""

from __future__ import annotations

from scoopi.metrics.node_counts import NodeCounts


def test_a_distribution_counts_each_value_below_the_bounds_that_hold_it() -> None:
    counts = NodeCounts()
    for value in (0.05, 0.1, 0.7, 3.0):
        counts.observe("commit", value, (0.1, 1.0))
    assert counts.with_prefix("commit.") == {"count": 4, "sum": 3.85, "most.0.1": 2, "most.1.0": 3}
