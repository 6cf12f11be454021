"""`scoopi job`: jobs are explained, continued, skipped and reprocessed."""

from __future__ import annotations

from tests.cli.schedule_verbs.conftest import Shop


def test_a_job_on_hold_gets_another_attempt_by_clear(shop: Shop) -> None:
    shop.printed("launch", "press", "--now", "2026-04-01T00:00:00Z")
    shop.printed("worker", "put", "p1")
    for minute in (0, 10):
        now = f"2026-04-01T00:{minute:02}:00Z"
        shop.printed("tick", "--now", now)
        shop.printed("attempt", "claim", "--worker", "p1", "--now", now)
        name = f"press/!1/{minute // 10 + 1}"
        shop.printed("attempt", "end", name, "--status", "failed", "--explanation", "no paper", "--now", now)
        shop.printed("tick", "--now", now)
    why = shop.printed("job", "why", "press/!1", "--now", "2026-04-01T00:11:00Z")
    assert why == (
        "on hold since 2026-04-01T00:10:00Z: attempt 2 failed: no paper; "
        "scoopi job clear 'shop.press/!1' continues it\n"
    )
    shop.printed("job", "clear", "press/!1")
    assert str(shop.rows("job", "show", "press/!1")[0]["changes"]).count("cleared by ") == 1
    assert "attempt_made" in shop.printed("tick", "--now", "2026-04-01T00:12:00Z")
    shop.printed("job", "clear", "press/!1", code=4)


def test_a_job_is_skipped_once_and_reprocessed_when_it_is_over(shop: Shop) -> None:
    shop.printed("launch", "press")
    assert "skipped" in shop.printed("job", "skip", "press/!1")
    shop.printed("job", "skip", "press/!1", code=4)
    said = shop.err.getvalue()
    assert "cannot skip shop.press/!1: it is skipped; only a job that is embryo" in said
    assert "scoopi job reprocess 'shop.press/!1' runs it once more" in said
    assert "embryo" in shop.printed("job", "reprocess", "press/!1")
    shop.printed("job", "reprocess", "press/!1", code=4)
    assert "attempt_made" in shop.printed("tick")


def test_a_cancel_says_what_becomes_of_the_attempt(shop: Shop) -> None:
    shop.printed("worker", "put", "p1")
    shop.printed("launch", "press")
    shop.printed("tick")
    shop.printed("attempt", "claim", "--worker", "p1")
    shop.printed("job", "cancel", "press/!1", "--mode", "drain")
    assert "attempt 1 is being cancelled (drain, requested at " in shop.err.getvalue()


def test_a_list_without_jobs_says_so(shop: Shop) -> None:
    assert shop.printed("job", "list", "--state", "failed") == ""
    assert "there are no such jobs" in shop.err.getvalue()
    before = shop.err.getvalue()
    assert shop.rows("job", "list", "--state", "failed") == []
    assert shop.err.getvalue() == before
