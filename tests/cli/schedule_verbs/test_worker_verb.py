"""`scoopi worker`: workers from outside are registered, listed and removed."""

from __future__ import annotations

from tests.cli.schedule_verbs.conftest import Shop


def test_workers_are_listed_with_what_they_run_and_a_removed_one_gets_nothing(shop: Shop) -> None:
    shop.printed("worker", "put", "p1", "--groups", "default,big", "--capacity", "3")
    shop.printed("launch", "press")
    shop.printed("tick")
    shop.printed("attempt", "claim", "--worker", "p1")
    (worker,) = shop.rows("worker", "list")
    assert (worker["groups"], worker["capacity"], worker["used"]) == ("default,big", 3.0, 1)
    shop.printed("worker", "remove", "p1")
    assert "is lost" in shop.printed("tick")
    assert "it was removed" in shop.printed("gc")
    assert shop.rows("worker", "list") == []


def test_a_worker_that_drains_is_still_expected_to_send_heartbeats(shop: Shop) -> None:
    shop.printed("worker", "put", "p1")
    shop.printed("worker", "beat", "p1")
    shop.printed("worker", "drain", "p1")
    for second in range(0, 40, 5):
        shop.printed("tick", "--now", f"2026-03-27T12:00:{second:02}Z")
    assert [row["state"] for row in shop.rows("worker", "list")] == ["lost"]


def test_a_registered_worker_claims_only_what_its_groups_may_run(shop: Shop) -> None:
    shop.printed("worker", "put", "p1", "--groups", "big")
    shop.printed("launch", "press")
    shop.printed("tick")
    assert shop.rows("attempt", "claim", "--worker", "p1") == []
    shop.printed("worker", "put", "p1", "--groups", "big,default")
    (claimed,) = shop.rows("attempt", "claim", "--worker", "p1")
    assert claimed["worker"] == "p1"
