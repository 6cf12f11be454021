"""ReopenedRun: what a run knew at its end is there when it continues, wherever a node crashes in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from scoopi.errors import RunError
from scoopi.model.job import JobState
from scoopi.model.scrape.definitions import Definitions
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.runs.cluster.reopened_run import ReopenedRun
from scoopi.runs.composed import Composed
from scoopi.store.jobs.finished_jobs import RememberedEnds
from scoopi.store.jobs.job_records import Ended
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.ports import RUN, Store
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.runs.run_retention import RunRetention
from tests.runs.cluster.file_backend import FileBackend
from tests.store.faulty_store import Faults, NodeDied

RUN_NAME, INCARNATION = "shop", "00000000000000aa"
ENDS = {f"{number:032x}": Ended("00000000000000bb", 1, JobState.DONE) for number in range(3)}
LEASE_MS = 40


@pytest.fixture
def backend_of(tmp_path: Path) -> Iterator[Callable[..., FileBackend]]:
    opened: list[FileBackend] = []

    def make(dies_after: int | None = None) -> FileBackend:
        opened.append(FileBackend(tmp_path, Faults(dies_after=dies_after)))
        return opened[-1]

    yield make
    for backend in opened:
        backend.close()
    assert [name for backend in opened for name in backend.removed] == []


def end_run(backend: FileBackend) -> None:
    """A run that is over: two of its records are those of a job and a node."""
    registry = runs_of(backend, "n1")
    maps, _ = registry.enter(RUN_NAME)
    store = backend.store(maps)
    definitions, now = Definitions({}, {}, {}, digest="d"), datetime.now().astimezone()
    composed = Composed(definitions, (), {}, now, "/", "/defs", {}, {}, INCARNATION)
    Barricade(store, "setup", "n1").compose_once(lambda: msgspec.msgpack.encode(composed), 1000)
    record = RunRecord(store, "n1")
    record.create(INCARNATION)
    record.mark_seeded()
    RememberedEnds(store).remember(ENDS)
    Membership(store, "00000000000000bb", "ann").beat(NodeLoad(1, True), NodeStatus.LEFT)
    record.to_ending()
    record.to_over()
    RunRetention(store, 600, lambda: registry.note_over(RUN_NAME, maps)).begin()


def fill(backend: FileBackend, node: str) -> None:
    registry = runs_of(backend, node)
    ReopenedRun(backend, registry, node, LEASE_MS).ensure_filled(RUN_NAME)


def continued(backend: FileBackend) -> Store:
    maps = runs_of(backend, "test").maps(RUN_NAME)
    assert maps is not None
    return backend.store(maps)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # it renews a lease
def test_a_reopened_run_knows_its_ended_jobs_and_its_nodes_wherever_a_node_crashes(
    backend_of: Callable[..., FileBackend],
) -> None:
    end_run(backend_of())
    assert runs_of(backend_of(), "n2").reopen(RUN_NAME)
    crashes = 0
    for writes in range(1, 300):
        try:
            fill(backend_of(dies_after=writes), f"n{writes}")
            break
        except NodeDied:
            crashes += 1
    assert crashes > 5
    store = continued(backend_of())
    assert {job: end for page in JobStore(store, "test").finished.pages() for job, end in page} == ENDS
    assert [each.node for each in Membership(store, "test", "test").read().values()] == ["ann"]
    state = RunRecord(store, "test").read()
    assert state is not None
    assert (state.incarnation, state.phase, state.seeded) == (INCARNATION, RunPhase.RUNNING, True)
    assert not RunRecord(store, "test").has_lost_any()


def test_a_run_that_was_not_reopened_stays_as_it_is(backend_of: Callable[..., FileBackend]) -> None:
    backend = backend_of()
    fill(backend, "n2")
    end_run(backend)
    fill(backend, "n2")
    state = RunRecord(continued(backend), "test").read()
    assert state is not None
    assert state.phase is RunPhase.OVER


@pytest.mark.parametrize("missing", ["composed/setup", "canary"])
def test_a_run_whose_records_have_begun_to_expire_does_not_continue(
    backend_of: Callable[..., FileBackend], missing: str
) -> None:
    backend = backend_of()
    end_run(backend)
    former = continued(backend)
    assert runs_of(backend, "n2").reopen(RUN_NAME)
    former.delete_all(RUN, [missing])
    with pytest.raises(RunError, match="what was kept of the run shop has expired while it was read"):
        fill(backend, "n2")
    state = RunRecord(continued(backend), "test").read()
    assert state is None or not state.seeded
