"""What the nodes of a run write at its end and after it, whichever is missing then; on a real member."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoopi.engine.run_completion import RunCompletion
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.jobs.finished_jobs import FinishedJobs
from scoopi.store.jobs.job_records import Ending
from scoopi.store.nodes.lease import LeaseRecord
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeRecord
from scoopi.store.ports import RUN
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.runs.run_record import RunPhase
from tests.cluster.grids import members, settings_of
from tests.cluster.holding import held, phase_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 8, 2
SLOW = {"scoopi.loader.fetch.delay": "100", "scoopi.loader.fetch.parallelism": "1"}
HALTING_MS = "500"
SHARED = {"scoopi.output.durability": "shared"}
MERGED = {**SHARED, "scoopi.output.merge": "true"}

RunnerOf = Callable[..., NodeRunner]


@contextmanager
def killed(runner: NodeRunner, node: str, folder: Path) -> Iterator[None]:
    """A node works as a process of its own until it has ended jobs; then it is killed.

    It asks so seldom that it is far from its end then, also if this test gets no time for some seconds.
    """
    process = ScoopiProcess(runner.arguments(node, loader_fetch_delay=HALTING_MS), folder)
    try:
        segments = runner.folder / ".scoopi" / node / "segments"
        # A third of a frame's rows is more than the file's header.
        wait_until(
            lambda: sum(file.stat().st_size for file in segments.glob("*.seg")) > 2000, "rows", LIMIT_S
        )
        yield
        process.signal(signal.SIGKILL)
        assert process.wait(LIMIT_S) == -signal.SIGKILL
    finally:
        process.kill_all()


def members_of(client: ClusterClient, run: str) -> list[NodeRecord]:
    return list(Membership(HazelcastStore(client, run), "test", "test").read().values())


def json_of(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_rows_of_a_node_that_is_missing_are_awaited_and_come_with_it(
    runner_of: RunnerOf, world: World, tmp_path: Path, cluster: ClusterClient
) -> None:
    runner = runner_of("of-ann", **SLOW)
    other = runner_of("of-bob")
    with killed(runner, "ann", tmp_path):
        pass
    report = other.start("bob").result(LIMIT_S)
    assert (report.status, report.published) == (RunStatus.DONE, True)
    start = f"start again with --run {runner.run_name} -D scoopi.cluster.node=ann on the same machine"
    assert report.publish_note == f"rows of ann are not published yet: {start}"
    assert json_of(other.folder / "run.json")["awaiting"] == ["ann"]
    code, out, _ = other.ask("status", runner.run_name)
    assert code == 0
    assert out.endswith(f"rows of ann are not published yet: {start}\n")
    assert other.rows() < world.rows
    assert phase_of(cluster, runner.run_name) is RunPhase.ENDING

    (late,) = runner_of("of-ann").run("ann")
    assert (late.status, late.publish_note) == (RunStatus.DONE, "the run was already over")
    assert other.rows() + runner.rows() == world.rows
    assert phase_of(cluster, runner.run_name) is RunPhase.OVER


def test_of_nodes_without_ids_in_one_folder_the_one_started_again_is_the_one_whose_rows_are_awaited(
    runner_of: RunnerOf, world: World, tmp_path: Path
) -> None:
    runner = runner_of(**SLOW)
    runner.run_name = ""
    (before,) = runner.run("ann")
    runner.run_name = before.run[:-4] + "zoes"
    with killed(runner, "zoe", tmp_path):
        pass
    (report,) = runner.run("ann")
    assert "rows of zoe are not published yet" in report.publish_note
    rows, runner.run_name = runner.rows(), ""
    (after,) = runner.run("")
    runner.run_name = before.run[:-4] + "zoes"
    assert rows < runner.rows() == world.rows
    assert after.run not in (before.run, runner.run_name)
    assert after.rows


def test_a_node_that_is_stopped_makes_the_run_over_that_the_others_have_ended_meanwhile(
    runner_of: RunnerOf, cluster: ClusterClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has taken nothing yet: of a node that has, the others may wait for the hosts until it has left."""
    runner, stops, stopped = runner_of(), threading.Event(), RunCompletion.stop

    def stopped_late(completion: RunCompletion) -> RunReport:
        stops.set()
        wait_until(ann.done, "the end of the other node", LIMIT_S)
        return stopped(completion)

    monkeypatch.setattr(RunCompletion, "stop", stopped_late)
    with held(cluster, runner, f"seed/{runner.precompose(cluster)}"):
        ann, bob = runner.start("ann"), runner.start("bob")
        wait_until(lambda: len(members_of(cluster, runner.run_name)) == 2, "both nodes", LIMIT_S)
        runner.cancel()
        assert stops.wait(LIMIT_S)
    assert (ann.result(LIMIT_S).status, bob.result(LIMIT_S).status) == (RunStatus.DONE, RunStatus.STOPPED)
    assert phase_of(cluster, runner.run_name) is RunPhase.OVER
    assert runner.rows() == world.rows


def test_a_node_that_comes_when_all_is_over_says_so_and_writes_nothing(
    runner_of: RunnerOf, world: World, cluster: ClusterClient, server: Server
) -> None:
    runner = runner_of()
    runner.run("ann", "bob")
    assert runner.rows() == world.rows
    files = {file: file.read_bytes() for file in runner.folder.glob("data*")}
    asked, known = len(server.log.all()), len(members_of(cluster, runner.run_name))

    (stranger,) = runner_of("elsewhere").run("cid")
    assert (stranger.status, stranger.publish_note) == (RunStatus.DONE, "the run was already over")
    assert stranger.rows == {}
    assert list((runner_of("elsewhere").folder).glob("data*")) == []
    (back,) = runner.run("ann")
    assert (back.status, back.publish_note) == (RunStatus.DONE, "the run was already over")
    assert {file: file.read_bytes() for file in runner.folder.glob("data*")} == files
    assert (len(server.log.all()), len(members_of(cluster, runner.run_name))) == (asked, known)


def test_all_nodes_end_within_a_few_timer_periods_after_the_last_job(
    runner_of: RunnerOf, world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks of each node are counted, since on a busy machine the periods between them take longer."""
    checks, lock, end, is_over = (
        Counter[CompletionCheck](),
        threading.Lock(),
        FinishedJobs.end,
        CompletionCheck.is_over,
    )

    def ended(jobs: FinishedJobs, endings: Sequence[Ending]) -> list[bool]:
        done = end(jobs, endings)
        with lock:
            checks.clear()
        return done

    def checked(check: CompletionCheck) -> bool:
        with lock:
            checks[check] += 1
        return is_over(check)

    monkeypatch.setattr(FinishedJobs, "end", ended)
    monkeypatch.setattr(CompletionCheck, "is_over", checked)
    slow = {"scoopi.cluster.heartbeat": "500", "scoopi.monitor.timerPeriod": "500"}
    runner_of(**SLOW, **slow).run("ann", "bob", "cid")
    assert len(server.log.pages()) == world.jobs
    assert len(checks) == 3
    assert max(checks.values()) <= 20


def test_in_a_shared_folder_the_rows_of_a_killed_node_are_published_by_another(
    runner_of: RunnerOf, world: World, tmp_path: Path, cluster: ClusterClient
) -> None:
    runner = runner_of(**SHARED, **SLOW)
    with killed(runner, "ann", tmp_path):
        pass
    reports = runner_of(**SHARED).run("bob", "cid")
    assert [report.publish_note for report in reports] == ["", ""]
    assert runner.rows("data-ann.txt").total() > 0
    assert json_of(runner.folder / ".scoopi" / "ann" / "node.json")["over"] is True
    assert runner.rows() == world.rows
    assert phase_of(cluster, runner.run_name) is RunPhase.OVER
    for node in ("bob", "cid"):
        assert json_of(runner.folder / ".scoopi" / node / "run.json")["status"] == "done"
    assert json_of(runner.folder / "run.json")["awaiting"] == []


def test_merged_rows_are_one_file_whichever_node_was_killed(
    runner_of: RunnerOf, world: World, tmp_path: Path, cluster: ClusterClient
) -> None:
    runner = runner_of(**MERGED, **SLOW)
    with killed(runner, "ann", tmp_path):
        stopped = runner.start("dan")
        wait_until(lambda: len(members_of(cluster, runner.run_name)) == 2, "the second node", LIMIT_S)
        runner.cancel()
        assert stopped.result(LIMIT_S).status is RunStatus.STOPPED
        assert list(runner.folder.glob("data*")) == []
    reports = runner_of(**MERGED).run("bob", "cid")
    assert [report.rows for report in reports] == [{"data.txt": world.rows.total()}] * 2
    assert {report.jobs.done for report in reports} == {world.jobs}
    assert [file.name for file in runner.folder.glob("data*")] == ["data.txt"]
    assert runner.rows() == world.rows
    assert phase_of(cluster, runner.run_name) is RunPhase.OVER


def test_a_holder_that_dies_while_it_merges_is_replaced(
    runner_of: RunnerOf, world: World, cluster: ClusterClient
) -> None:
    runner = runner_of(**MERGED)
    lease = msgspec.json.encode(LeaseRecord("dead", 0), order="sorted")
    held = f"barricade/merge/{runner.precompose(cluster)}"
    HazelcastStore(cluster, runner.run_name).put_if_absent_all(RUN, [(held, lease)])
    reports = runner.run("ann", "bob")
    assert [report.rows for report in reports] == [{"data.txt": world.rows.total()}] * 2
    assert runner.rows() == world.rows


def test_merging_wants_a_folder_that_all_nodes_see(runner_of: RunnerOf) -> None:
    with pytest.raises(
        Exception, match=r"scoopi\.output\.merge: .* set scoopi\.output\.durability to shared"
    ):
        runner_of(**{"scoopi.output.merge": "true"}).run("ann")


def test_lost_data_is_noticed_and_the_files_stay_until_it_is_restarted(
    runner_of: RunnerOf, world: World, tmp_path: Path
) -> None:
    with members(tmp_path) as started:
        port = int(started[0].address.rpartition(":")[2])
        client = ClusterClient(settings_of(started))
        runner = runner_of(client=client, **SLOW)
        client.close()
        first = runner.start("ann", loader_fetch_delay=HALTING_MS)
        wait_until(lambda: any(runner.folder.glob(".scoopi/ann/segments/*.seg")), "the segment", LIMIT_S)
        wait_until(lambda: _grown(runner), "some rows", LIMIT_S)
        runner.cancel()
        first.result(LIMIT_S)
        published = runner.rows()
        again = runner.start("ann", loader_fetch_delay="2000")
        wait_until(
            lambda: json_of(runner.folder / "run.json")["status"] == "running", "the second start", LIMIT_S
        )
        started[0].end(hard=True)
        with members(tmp_path / "again", port=port):
            with pytest.raises(Exception, match="data is lost"):
                again.result(LIMIT_S)
            assert runner.rows() == published
            with pytest.raises(Exception, match="--discard-lost moves them aside"):
                runner.start("ann").result(LIMIT_S)
            assert runner.rows() == published
            (report,) = runner_of(client=client, discard_lost=True).run("ann")
            assert report.status is RunStatus.DONE
            assert runner.rows() == world.rows
            assert runner.rows(".scoopi/lost-*/files/data-ann.txt") == published


def _grown(runner: NodeRunner) -> bool:
    return any(file.stat().st_size > 2000 for file in runner.folder.glob(".scoopi/ann/segments/*.seg"))
