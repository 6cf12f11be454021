"""`scoopi attempt`: a worker in another language claims, reports and ends attempts by it."""

from __future__ import annotations

import pytest

from tests.cli.schedule_verbs.conftest import Shop


def test_a_worker_in_another_language_claims_reports_and_ends_an_attempt(shop: Shop) -> None:
    assert shop.printed("launch", "press", "-i", "copies=2") == "shop.press/!1\n"
    shop.printed("tick")
    shop.printed("worker", "put", "p1")
    (claimed,) = shop.rows("attempt", "claim", "--worker", "p1")
    assert (claimed["attempt"], claimed["fence"]) == ("shop.press/!1/1", 1)
    assert claimed["inputs"] == {"paper": "a4", "copies": "2"}
    assert shop.printed("attempt", "beat", "press/!1/1", "--fence", "1") == "go on\n"
    assert shop.printed("job", "cancel", "press/!1", "--mode", "kill")
    assert shop.printed("attempt", "beat", "press/!1/1") == "cancel\n"
    shop.printed("attempt", "end", "press/!1/1", "--status", "succeeded", "--output", "pages=12")
    shop.printed("tick")
    (job,) = shop.rows("job", "list", "--process", "press")
    assert job["state"] == "processed"
    (attempt,) = shop.rows("attempt", "list", "--job", "press/!1")
    assert attempt["outputs"] == {"pages": "12"}
    shop.printed("attempt", "beat", "press/!1/1", code=4)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("remove", "worker p1 is removed, and gets no attempts; scoopi worker put p1 lets it claim again"),
        ("drain", "worker p1 is draining, and gets no attempts; scoopi worker put p1 lets it claim again"),
    ],
)
def test_a_worker_that_was_removed_or_drains_claims_nothing_and_the_message_says_why(
    shop: Shop, operation: str, message: str
) -> None:
    shop.printed("launch", "press")
    shop.printed("tick")
    shop.printed("worker", "put", "p1")
    shop.printed("worker", operation, "p1")
    assert shop.printed("attempt", "claim", "--worker", "p1", code=4) == ""
    assert message in shop.err.getvalue()
    shop.printed("worker", "put", "p1")
    assert len(shop.rows("attempt", "claim", "--worker", "p1")) == 1


def test_a_worker_that_missed_its_heartbeats_claims_again_after_one(shop: Shop) -> None:
    shop.printed("worker", "put", "p1")
    shop.printed("worker", "beat", "p1")
    for second in range(0, 60, 5):
        shop.printed("tick", "--now", f"2026-03-27T12:00:{second:02}Z")
    shop.printed("launch", "press", "--now", "2026-03-27T12:01:00Z")
    shop.printed("tick", "--now", "2026-03-27T12:01:00Z")
    shop.printed("attempt", "claim", "--worker", "p1", code=4)
    assert "worker p1 is lost, and gets no attempts; scoopi worker beat p1" in shop.err.getvalue()
    shop.printed("worker", "beat", "p1")
    assert len(shop.rows("attempt", "claim", "--worker", "p1")) == 1


def test_without_live_attempts_the_list_says_how_to_see_others(shop: Shop) -> None:
    assert shop.printed("attempt", "list") == ""
    assert "no attempt is live; see those of a job with --job, --process or --status" in shop.err.getvalue()


def test_the_log_of_what_another_program_executes_is_not_here(shop: Shop) -> None:
    shop.printed("launch", "press")
    shop.printed("tick")
    shop.printed("attempt", "log", "press/!1/1", code=2)
    assert "shop.press/!1/1 is executed outside of Scoopi, by external:press" in shop.err.getvalue()


def test_a_claim_of_nothing_and_a_log_of_nothing_say_so(shop: Shop) -> None:
    shop.printed("worker", "put", "p1")
    assert shop.printed("attempt", "claim", "--worker", "p1") == ""
    assert "worker p1 has no free capacity, or no attempt waits for it" in shop.err.getvalue()
    before = shop.err.getvalue()
    assert shop.rows("attempt", "claim", "--worker", "p1") == []
    assert shop.err.getvalue() == before
    shop.printed("launch", "books")
    shop.printed("tick")
    assert shop.printed("attempt", "log", "books/!1/1") == ""
    assert "shop.books/!1/1 has printed nothing: it has not started" in shop.err.getvalue()
