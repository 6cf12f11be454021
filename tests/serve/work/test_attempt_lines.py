"""Starts and ends of attempts are shown, but not each time that an attempt is still not ready."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.attempt_lines import QUIET_S, AttemptLines

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Shown:
    """What was shown of one attempt that is claimed again and again."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.events: list[object] = []
        self.of = AttemptLines(self._notify)
        self._fence = 0

    def claim(self) -> Claim:
        """Claim the attempt, and show that it has started."""
        self._fence += 1
        attempt = AttemptRecord(
            process="p",
            slot="!1",
            number=1,
            status="running",
            phase="live",
            bundle="b1",
            created=NOW,
            fence=self._fence,
            started=NOW,
        )
        claim = Claim(attempt)
        self.of.started(claim)
        return claim

    def run(self, status: str, reason: str = "") -> list[str]:
        """Run it to an end; returns the lines that were shown."""
        before = len(self.lines)
        self.of.ended(self.claim(), status, reason, 0.25)
        return self.lines[before:]

    def _notify(self, line: str, /, **fields: object) -> None:
        self.lines.append(line)
        self.events.append(fields["event"])


@pytest.fixture
def shown() -> Shown:
    return Shown()


def test_an_attempt_that_is_still_not_ready_is_shown_once(shown: Shown) -> None:
    assert shown.run("not_ready", "no file") == ["p/!1/1 started", "p/!1/1 not ready after 0.2 s: no file"]
    assert shown.run("not_ready", "no file") == []
    assert shown.run("not_ready", "no file") == []
    assert shown.events == ["started", "ended"]


def test_another_reason_and_the_end_are_shown_with_the_start(shown: Shown) -> None:
    shown.run("not_ready", "no file")
    other = ["p/!1/1 started", "p/!1/1 not ready after 0.2 s: too early"]
    assert shown.run("not_ready", "too early") == other
    assert shown.run("succeeded") == ["p/!1/1 started", "p/!1/1 succeeded after 0.2 s"]
    assert shown.run("failed", "x") == ["p/!1/1 started", "p/!1/1 failed after 0.2 s: x"]


def test_the_start_of_an_attempt_that_has_become_ready_is_shown_while_it_runs(shown: Shown) -> None:
    shown.run("not_ready", "no file")
    claim = shown.claim()
    shown.of.poll(NOW + timedelta(seconds=QUIET_S - 1))
    assert len(shown.lines) == 2
    for _ in range(2):
        shown.of.poll(NOW + timedelta(seconds=QUIET_S))
    assert shown.lines[2:] == ["p/!1/1 started"]
    shown.of.ended(claim, "succeeded", "", 9)
    assert shown.lines[3:] == ["p/!1/1 succeeded after 9.0 s"]


def test_nothing_is_shown_of_a_claim_that_is_gone(shown: Shown) -> None:
    shown.run("not_ready", "no file")
    shown.of.gone(shown.claim())
    shown.of.poll(NOW + timedelta(hours=1))
    assert len(shown.lines) == 2
