"""`scoopi tick`: a pass prints what it decided, also without any `serve`."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.serve.passes import Passes
from tests.cli.schedule_verbs.conftest import Shop


def test_a_pass_at_a_given_time_prints_its_decisions(shop: Shop) -> None:
    decisions = shop.rows("tick", "--now", "2026-03-28T05:00:03Z")
    assert [row["decision"] for row in decisions] == ["job_made", "attempt_made", "job_moved"]
    assert shop.rows("tick", "--now", "2026-03-28T05:00:03Z") == []
    why = shop.printed("job", "why", "books/@2026-03-28T05:00:00Z", "--now", "2026-03-28T05:00:04Z")
    assert why == (
        "no live worker in group default; attempt 1 has waited since 2026-03-28T05:00:03Z; "
        "start scoopi serve\n"
    )


def test_a_tick_beside_another_pass_says_so(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Passes, "run", lambda self, now: None)
    assert shop.printed("tick") == ""
    assert "another pass is running; it checks again before it ends\n" in shop.err.getvalue()


def test_ticks_alone_find_that_a_worker_has_stopped_its_heartbeats(shop: Shop) -> None:
    shop.printed("worker", "put", "p1")
    shop.printed("worker", "beat", "p1")
    shop.printed("launch", "press", "--now", "2026-04-01T00:00:00Z")
    shop.printed("tick", "--now", "2026-04-01T00:00:00Z")
    (claimed,) = shop.rows("attempt", "claim", "--worker", "p1", "--now", "2026-04-01T00:00:00Z")
    for second in (5, 10, 15):
        shop.printed("tick", "--now", f"2026-04-01T00:00:{second:02}Z")
    assert shop.rows("attempt", "show", str(claimed["attempt"]))[0]["worker"] == "p1"
    shop.printed("tick", "--now", "2026-04-01T00:00:20Z")
    (worker,) = shop.rows("worker", "list")
    assert worker["state"] == "lost"
    assert shop.rows("attempt", "show", str(claimed["attempt"]))[0]["worker"] is None


def test_a_pass_that_cannot_plan_everything_says_so_by_its_exit_code(shop: Shop) -> None:
    Path("jobs/late.yml").write_text(
        'processes: {late: {executes: external:x, trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}}'
    )
    assert shop.run("deploy", "jobs", "--now", "2026-03-27T12:00:00Z") == 0
    shop.printed("tick", "--now", "2026-03-28T05:00:00Z", code=1)
    assert "the slots of late cannot be planned: OverflowError" in shop.err.getvalue()
    assert shop.rows("job", "list")[0]["job"] == "shop.books/@2026-03-28T05:00:00Z"


def test_a_pass_that_decides_nothing_says_so(shop: Shop) -> None:
    shop.printed("launch", "press")
    shop.printed("tick")
    assert shop.printed("tick") == ""
    assert shop.err.getvalue().endswith("nothing to decide\n")
    before = shop.err.getvalue()
    assert shop.rows("tick") == []
    assert shop.err.getvalue() == before, "a program sees that there are no lines"
