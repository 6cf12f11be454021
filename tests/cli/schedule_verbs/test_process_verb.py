"""`scoopi process`: a process is shown, paused and resumed, with its next fires and its changes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.schedule_verbs.conftest import Shop


def test_the_next_fires_are_shown_in_the_zone_of_the_trigger_across_a_clock_change(shop: Shop) -> None:
    text = shop.printed("process", "next", "books", "-n", "3", "--now", "2026-03-27T12:00:00Z")
    assert text.splitlines() == [
        "2026-03-28T06:00:00+01:00",
        "2026-03-29T06:00:00+02:00",
        "2026-03-30T06:00:00+02:00",
    ]


def test_a_paused_process_creates_jobs_and_starts_none(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOOPI_USER", "ann")
    shop.printed("process", "pause", "books", "--reason", "audit", "--now", "2026-03-28T04:00:00Z")
    shop.printed("tick", "--now", "2026-03-28T05:00:03Z")
    job = "books/@2026-03-28T05:00:00Z"
    assert shop.printed("job", "why", job) == (
        "process shop.books was paused at 2026-03-28T04:00:00Z by ann: audit; "
        "scoopi process resume shop.books starts it again\n"
    )
    shop.printed("process", "resume", "books")
    shop.printed("process", "resume", "books", code=4)
    assert "attempt_made" in shop.printed("tick", "--now", "2026-03-28T05:00:13Z")
    shown = shop.printed("process", "show", "books")
    assert re.search(r"2026-03-28T04:00:00Z +paused +ann +\S+ +audit", shown)
    row = json.loads(shop.printed("process", "show", "books", "--json"))
    assert [(each["change"], each["by"]) for each in row["changes"]][1:] == [
        ("paused", "ann"),
        ("resumed", "ann"),
    ]


def test_a_process_that_was_paused_without_a_reason_shows_as_paused(shop: Shop) -> None:
    shop.printed("process", "pause", "books")
    assert shop.rows("process", "show", "books")[0]["paused"] == "no reason given"
    assert shop.rows("process", "show", "clean")[0]["paused"] is None


def test_the_next_periods_are_shown_with_the_time_at_which_they_are_due(shop: Shop) -> None:
    Path("jobs/day.yml").write_text("processes: {day: {executes: external:x, qualifier: daily, trigger: {}}}")
    shop.printed("deploy", "jobs", "--now", "2026-03-27T00:00:00Z")
    text = shop.printed("process", "next", "day", "-n", "2", "--now", "2026-03-27T12:00:00Z")
    assert [line.split() for line in text.splitlines()] == [
        ["slot", "at"],
        ["D:2026032700", "2026-03-28T00:05:00Z"],
        ["D:2026032800", "2026-03-29T00:05:00Z"],
    ]


def test_a_process_without_next_slots_says_where_its_trigger_is(shop: Shop) -> None:
    assert shop.printed("process", "next", "press") == ""
    assert "shop.press has no trigger; scoopi launch shop.press creates a job" in shop.err.getvalue()


def test_next_warns_that_a_clock_was_ahead(shop: Shop) -> None:
    shop.printed("tick", "--now", "2030-01-01T05:00:10Z")
    assert shop.printed("process", "next", "books", "-n", "1") == "2030-01-02T06:00:00+01:00\n"
    assert "a pass whose clock was ahead" in shop.err.getvalue()
