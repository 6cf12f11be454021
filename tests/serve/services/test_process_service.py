"""Processes as people see them: when they are evaluated, how often, and for which slots."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoopi.errors import UsageError
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from tests.serve.conftest import NOW, Deployed

PROJECT = """
    processes:
      hourly: {executes: external:x, qualifier: hourly, trigger: {every: 20m}}
      window:
        executes: external:x
        trigger: {slots: iterations, cron: "0 * * * *", every: 5m}
        lookback: 2
      fires: {executes: external:x, trigger: {every: 30m}}
      times: {executes: external:x, trigger: {at: ["*-08:00", "4-18:05"]}}
      cron: {executes: external:x, trigger: {cron: "0 6 * * *"}}
      after: {executes: external:x, trigger: {after: fires}}
      manual: {executes: external:x}
"""
LATER = NOW + timedelta(hours=3, minutes=2)


def test_a_process_shows_its_looks_and_its_window(deployed: Deployed) -> None:
    rows = {row["process"]: row for row in ProcessService(deployed(PROJECT), LATER).processes()}
    shown = {name: (row["trigger"], row["next_evaluation"], row["window"]) for name, row in rows.items()}
    assert shown == {
        "hourly": ("every 20m", "2026-01-01T03:20:00Z", ["H:2026010103"]),
        "window": (
            "every 5m",
            "2026-01-01T03:05:00Z",
            ["#2601010002", "#2601010003", "#2601010004"],
        ),
        "fires": ("every 30m", "2026-01-01T03:30:00Z", []),
        "times": ("at *-08:00, 4-18:05", "2026-01-01T08:00:00Z", []),
        "cron": ("cron 0 6 * * *", "2026-01-01T06:00:00Z", []),
        "after": ("after fires", None, []),
        "manual": (None, None, []),
    }


def test_the_interval_is_changed_and_set_back(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    state.passes.run(NOW + timedelta(minutes=30))
    service = ProcessService(state, NOW + timedelta(minutes=32))

    row = service.set_interval("fires", timedelta(minutes=7))
    assert (row["trigger"], row["next"]) == ("every 7m", "2026-01-01T00:37:00Z")
    assert service.upcoming("fires", 2)[1]["slot"] == "@2026-01-01T00:44:00Z"
    assert service.set_interval("hourly", timedelta(minutes=7))["next_evaluation"] == "2026-01-01T00:34:00Z"

    row = service.set_interval("fires", None)
    assert (row["trigger"], row["next"]) == ("every 30m", "2026-01-01T01:00:00Z")


@pytest.mark.parametrize("name", ["cron", "times", "after", "manual"])
def test_a_process_without_an_interval_cannot_be_given_one(deployed: Deployed, name: str) -> None:
    service = ProcessService(deployed(PROJECT), NOW)
    with pytest.raises(UsageError, match=f"process {name} has "):
        service.set_interval(name, timedelta(minutes=1))


def test_the_next_iteration_has_no_time_before_the_current_one_is_over(deployed: Deployed) -> None:
    state = deployed(
        "processes: {p: {executes: external:x, "
        "trigger: {slots: iterations, source: after_completion, every: 1h}}}"
    )
    assert ProcessService(state, NOW).upcoming("p", 1)[0]["slot"] == "#0"
    state.passes.run(NOW)
    later = NOW + timedelta(hours=2)
    assert ProcessService(state, later).upcoming("p", 1) == []
    assert ProcessService(state, later).show_process("p")["next"] is None
    JobService(state, NOW, lambda name: name).skip("p/#0")
    state.passes.run(NOW + timedelta(seconds=1))
    (following,) = ProcessService(state, later).upcoming("p", 1)
    assert (following["slot"], following["at"]) == ("#1", "2026-01-01T02:00:00Z")
