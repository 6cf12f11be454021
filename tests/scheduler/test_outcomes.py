"""Outcomes: what a function raises to end its attempt has a status, and outputs if it gives any."""

from __future__ import annotations

import pytest

from scoopi.scheduler.outcomes import AttemptOutcome, Failed, HandedBack, Noop, NotReady


@pytest.mark.parametrize(
    ("kind", "status"),
    [(NotReady, "not_ready"), (Noop, "noop"), (Failed, "failed"), (HandedBack, "handed_back")],
)
def test_each_outcome_has_its_status(kind: type[AttemptOutcome], status: str) -> None:
    outcome = kind("why", {"rows": 3})
    assert (outcome.status, str(outcome), outcome.outputs) == (status, "why", {"rows": 3})
    assert kind().outputs == {}
