"""run_modules: every part of a node can be made, and each mode gets the parts that are its own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.appenders.appender import Appender
from scoopi.engine.engine import Engine
from scoopi.engine.stop_time import StopTime
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.metrics.node_counts import NodeCounts
from scoopi.politeness.host_rate_limiter import HostRateLimiter
from scoopi.politeness.host_sharing import HostSharing
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.run_rows import OwnRows, RunRows
from scoopi.publishing.shared_rows import MergedRows, SharedRows
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.departure import Departure
from tests.bootstrap.wired_run import WiredRun

SHARED = {"scoopi.output.durability": "shared"}
MERGED = {**SHARED, "scoopi.output.merge": "true"}


@pytest.mark.parametrize("workers", ["3", "0"])
def test_a_run_on_one_machine_has_an_engine_and_shares_no_host(
    tmp_path: Path, opened: ExitStack, workers: str
) -> None:
    run = WiredRun(tmp_path, opened, {"scoopi.workers": workers})
    assert isinstance(run.get(Engine), Engine)
    assert isinstance(run.get(RunRows), OwnRows)  # type: ignore[type-abstract]
    assert run.get(HostSharing).shares is None


@pytest.mark.parametrize(("settings", "rows"), [({}, OwnRows), (SHARED, SharedRows), (MERGED, MergedRows)])
def test_a_node_writes_its_own_rows_or_those_of_dead_nodes_or_all_as_the_settings_say(
    tmp_path: Path, opened: ExitStack, settings: dict[str, str], rows: type[RunRows]
) -> None:
    run = WiredRun(tmp_path, opened, settings, is_on_nodes=True)
    assert isinstance(run.get(Engine), Engine)
    assert isinstance(run.get(RunRows), rows)  # type: ignore[type-abstract]
    assert run.get(HostSharing).shares is not None


PARTS = (
    Appender,
    Departure,
    HeldJobs,
    HostRateLimiter,
    JobStore,
    NodeCounts,
    Publisher,
    StopTime,
    TaskMediator,
)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_the_same_one_for_all_that_need_it(
    tmp_path: Path, opened: ExitStack, part: type[object]
) -> None:
    run = WiredRun(tmp_path, opened)
    assert run.get(part) is run.get(part)
