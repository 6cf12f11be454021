"""RunSurvey: what `scoopi status` shows of a run, read from its store alone."""

from __future__ import annotations

import pytest

from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.model.report.run_figures import JobFigures, RunFigures
from scoopi.runs.cluster.run_survey import RunSurvey
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.settling_store import SettlingStore

HOST = "one.example:80"
BUSY, IDLE = NodeLoad(1, False, pages=7), NodeLoad(1, True, pages=3)


def figures(store: SettlingStore) -> RunFigures:
    return RunSurvey(store, "shop", heartbeat_ms=1).figures()


def put(store: SettlingStore, count: int) -> None:
    jobs = [
        NewJob(f"{number:032x}", HOST, JobPayload(Locator("page", "shop", f"http://{HOST}/{number}"), "s"))
        for number in range(count)
    ]
    JobStore(store, "a1").put(jobs)


def test_of_a_run_of_which_only_the_name_is_known_nothing_is_shown(store: SettlingStore) -> None:
    assert figures(store) == RunFigures("shop", "LOST")


def test_a_run_whose_nodes_left_before_it_began_is_abandoned(store: SettlingStore) -> None:
    Membership(store, "a1", "ann").beat(IDLE, NodeStatus.LEFT)
    shown = figures(store)
    assert (shown.phase, [(node.node, node.state) for node in shown.nodes]) == (
        "ABANDONED",
        [("ann", "left")],
    )


def test_jobs_are_counted_by_what_has_become_of_them(store: SettlingStore) -> None:
    record = RunRecord(store, "a1")
    record.create("r1")
    put(store, 9)
    record.mark_seeded()
    ann, bob = JobStore(store, "a1"), JobStore(store, "b1")
    for incarnation, node in (("a1", "ann"), ("b1", "bob")):
        Membership(store, incarnation, node).beat(BUSY)
    of_ann, of_bob = ann.take(HOST, 4), bob.take(HOST, 2)
    states = (JobState.DONE, JobState.DONE, JobState.FAILED)
    ann.finished.end([Ending(job.id, job.fence, state) for job, state in zip(of_ann, states, strict=False)])
    bob.finished.end([Ending(of_bob[0].id, of_bob[0].fence, JobState.SKIPPED)])
    shown = figures(store)
    assert (shown.phase, shown.seeded) == ("RUNNING", True)
    assert shown.jobs == JobFigures(ready=3, taken=2, done=2, failed=1, skipped=1)
    assert [(node.node, node.taken, node.ended, node.pages) for node in shown.nodes] == [
        ("ann", 1, 3, 7),
        ("bob", 1, 1, 7),
    ]


def test_a_node_is_what_its_newest_start_is_with_the_work_of_all_of_them(store: SettlingStore) -> None:
    RunRecord(store, "a1").create("r1")
    put(store, 3)
    Membership(store, "a1", "ann").beat(BUSY, NodeStatus.DEAD)
    JobStore(store, "a1").take(HOST, 1)
    Membership(store, "a2", "ann").beat(BUSY, NodeStatus.LEFT)
    JobStore(store, "a2").take(HOST, 1)
    (node,) = figures(store).nodes
    assert (node.state, node.taken, node.pages) == ("left", 2, 14)


def test_a_node_without_heartbeats_is_silent_until_the_others_agree(store: SettlingStore) -> None:
    RunRecord(store, "a1").create("r1")
    Membership(store, "a1", "ann").beat(BUSY)
    (node,) = figures(store).nodes
    assert (node.state, node.pages_per_s) == ("silent", 0.0)


@pytest.mark.parametrize("owes_rows", [True, False])
def test_nodes_whose_rows_are_missing_at_the_end_are_named(store: SettlingStore, owes_rows: bool) -> None:
    record = RunRecord(store, "a1")
    record.create("r1")
    put(store, 1)
    (job,) = JobStore(store, "a1").take(HOST, 1)
    JobStore(store, "a1").finished.end([Ending(job.id, job.fence, JobState.DONE)])
    record.mark_seeded()
    record.to_ending()
    Membership(store, "a1", "ann").beat(IDLE._replace(owes_rows=owes_rows), NodeStatus.LEFT)
    assert figures(store).awaiting == (("ann",) if owes_rows else ())
    record.to_over()
    assert (figures(store).phase, figures(store).awaiting) == ("OVER", ())
