"""JobsModule: what decides about jobs that are taken, and what this node's heartbeats report."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.mediator.budgets.page_limit import PageLimit
from scoopi.mediator.heartbeat import Heartbeat, HeartbeatCalls
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.taken_job_rules import TakenJobRules
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import TakenJob, WaitingJob
from scoopi.store.nodes.departure import Departure
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeStatus
from tests.bootstrap.wired_run import NODE, WiredRun

HOST = "site.example:80"


def job(name: str, group: str = "page", host: str = HOST) -> TakenJob:
    return TakenJob(name, 1, 0, host, JobPayload(Locator(name, group, f"http://{host}/{name}"), name))


@pytest.mark.parametrize("is_on_nodes", [False, True])
def test_only_a_run_on_one_machine_keeps_for_itself_which_hosts_rest(
    tmp_path: Path, opened: ExitStack, is_on_nodes: bool
) -> None:
    rules = WiredRun(tmp_path, opened, {"scoopi.job.maxTakes": "7"}, is_on_nodes=is_on_nodes).get(
        TakenJobRules
    )
    assert (rules.pauses is None) is is_on_nodes
    assert rules.max_takes == 7
    assert rules.has_room()


@pytest.mark.parametrize(
    ("settings", "more", "reason"),
    [
        ({"scoopi.budget.pages": "1"}, "", "run"),
        ({}, "sites: { site.example: { budget: { pages: 1 } } }", HOST),
    ],
)
def test_budgets_of_the_run_and_of_its_hosts_are_those_of_settings_and_definitions(
    tmp_path: Path, opened: ExitStack, settings: dict[str, str], more: str, reason: str
) -> None:
    budgets = WiredRun(tmp_path, opened, settings, more).get(TakenJobRules).budgets
    assert budgets.are_set
    assert budgets.refuse(job("a")) == ""
    assert reason in budgets.refuse(job("b"))


def test_without_budgets_nothing_is_refused(tmp_path: Path, opened: ExitStack) -> None:
    budgets = WiredRun(tmp_path, opened).get(TakenJobRules).budgets
    assert not budgets.are_set
    assert [budgets.refuse(job(name)) for name in "abc"] == [""] * 3


def test_the_limit_of_pages_is_that_of_the_run(tmp_path: Path, opened: ExitStack) -> None:
    run = WiredRun(tmp_path, opened, limit=3)
    assert run.get(PageLimit) is run.get(TakenJobRules).limit
    assert run.get(PageLimit).cut(10) == 3
    assert WiredRun(tmp_path, opened).get(PageLimit).cut(10) == 10


@pytest.mark.parametrize("waits", [True, False])
def test_a_heartbeat_reports_pages_and_when_the_next_retry_is_due(
    tmp_path: Path, opened: ExitStack, waits: bool
) -> None:
    run = WiredRun(tmp_path, opened)
    run.get(NodeCounts).add("pages", 5)
    if waits:
        run.get(HeldJobs).waiting.add([WaitingJob("a", HOST, 60_000)])
    run.get(Departure).leave()
    record = run.get(Membership).read()[NODE]
    assert (record.state, record.pages) == (NodeStatus.LEFT, 5)
    assert 0 < record.retry_ms <= 60_000 if waits else record.retry_ms == 0


class Cancelled:
    """A run that was cancelled from elsewhere."""

    def is_asked(self) -> bool:
        return True


@pytest.mark.parametrize("cancel", [None, Cancelled()])
def test_a_heartbeat_learns_of_a_cancel_in_a_cluster_only(
    tmp_path: Path, opened: ExitStack, cancel: Cancelled | None
) -> None:
    calls = WiredRun(tmp_path, opened, cancel=cancel).get(HeartbeatCalls)
    assert calls.is_cancelled() is (cancel is not None)


def test_heartbeats_have_the_period_of_the_cluster(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = WiredRun(tmp_path, opened, is_on_nodes=True)
    monkeypatch.setattr(Heartbeat, "__init__", lambda beat, *given: setattr(beat, "given", given))
    period_s, round_s = run.get(Heartbeat).given[-2:]  # type: ignore[attr-defined]
    cluster = run.context.cluster
    assert cluster is not None
    assert (period_s * 1000, round_s * 1000) == (cluster.heartbeat_ms, cluster.liveness_gap_ms)
