"""`scoopi group`: the workers of each group, what they run, and how much more they can."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.state import State
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.workers.worker_name import home_of
from tests.cli.schedule_verbs.conftest import Shop


def test_groups_show_their_workers_and_what_is_left(shop: Shop) -> None:
    shop.printed("worker", "put", "p1", "--groups", "default,big", "--capacity", "3")
    shop.printed("worker", "put", "p2", "--groups", "big", "--capacity", "2")
    shop.printed("launch", "press")
    shop.printed("tick")
    (claimed,) = shop.rows("attempt", "claim", "--worker", "p1")
    big, default = shop.rows("group", "list")
    keys = ["group", "workers", "capacity", "used", "left", "jobs", "max_jobs", "max_cost"]
    assert [*big] == keys
    jobs = [claimed["attempt"]]
    assert [*big.values()] == ["big", ["p1", "p2"], 5.0, 1, 4.0, jobs, 0, 0]
    assert [*default.values()] == ["default", ["p1"], 3.0, 1, 2.0, jobs, 0, 0]
    assert "p1; p2" in shop.printed("group", "list")


def test_of_a_lost_worker_what_it_runs_counts_and_nothing_is_left(shop: Shop) -> None:
    shop.printed("worker", "put", "p1", "--capacity", "3")
    shop.printed("launch", "press")
    shop.printed("tick")
    shop.printed("attempt", "claim", "--worker", "p1")
    for change in ("drain", "remove"):
        shop.printed("worker", change, "p1")
        (group,) = shop.rows("group", "list")
        assert (group["capacity"], group["used"], group["left"]) == (3.0, 1, 0)


def test_a_group_that_only_processes_name_has_no_workers(shop: Shop) -> None:
    (group,) = shop.rows("group", "list")
    assert (group["group"], group["workers"], group["left"]) == ("default", [], 0)


def test_a_worker_that_was_removed_is_in_no_group(shop: Shop) -> None:
    shop.printed("worker", "put", "p1", "--capacity", "3")
    shop.printed("worker", "remove", "p1")
    (group,) = shop.rows("group", "list")
    assert (group["workers"], group["capacity"]) == ([], 0)


def test_of_a_serve_that_was_killed_on_this_machine_nothing_is_left_at_once(shop: Shop) -> None:
    with State(Path("scheduler")) as state:
        served = WorkerRecord(worker="here", incarnation="1", capacity=4.0, home=home_of(state.folder))
        elsewhere = WorkerRecord(worker="there", incarnation="1", capacity=2.0, home="another machine")
        for record in (served, elsewhere):
            assert state.store.write(None, record)
        with closing(WakeUp(state.folder, "here")):
            (before,) = shop.rows("group", "list")
    (after,) = shop.rows("group", "list")
    assert (before["workers"], before["left"]) == (["here", "there"], 6.0)
    assert (after["workers"], after["left"]) == (["here", "there"], 2.0)
    states = {row["worker"]: row["state"] for row in shop.rows("worker", "list")}
    assert states == {"here": "lost", "there": "running"}
