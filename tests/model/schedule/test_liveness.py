"""Liveness: a worker may miss as many heartbeats as its lease lasts, whatever settings count them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoopi.model.schedule.liveness import Liveness


def liveness(beat_s: float, gap: int) -> Liveness:
    return Liveness(beat=timedelta(seconds=beat_s), gap=gap)


@pytest.mark.parametrize(
    ("counted", "own", "most"),
    [
        (liveness(5, 3), liveness(5, 3), 3),
        (liveness(5, 3), None, 3),
        (liveness(1, 3), liveness(5, 3), 15),
        (liveness(2, 1), liveness(5, 1), 3),  # two and a half
        (liveness(5, 1), liveness(1, 4), 4),  # may have been counted before the deployment
        (liveness(1, 10), liveness(1, 3), 10),
    ],
)
def test_heartbeats_are_missed_for_as_long_as_the_lease_of_the_worker_lasts(
    counted: Liveness, own: Liveness | None, most: int
) -> None:
    assert counted.most_missed(own) == most
