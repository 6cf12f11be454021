"""What the nodes of a run write at its end and after it, whichever is missing then; on a real member."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoopi.engine.run_completion import RunCompletion
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.nodes.lease import LeaseRecord
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeRecord
from scoopi.store.ports import RUN
from scoopi.store.runs.run_record import RunPhase, RunRecord
from tests.cluster.crew import LIMIT_S, Crew
from tests.cluster.grids import members, settings_of
from tests.cluster.holding import held
from tests.engine.desk import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 8, 2
SLOW = {"scoopi.loader.fetch.delay": "100", "scoopi.loader.fetch.parallelism": "1"}
HALTING_MS = "500"
SHARED = {"scoopi.output.durability": "shared"}
MERGED = {**SHARED, "scoopi.output.merge": "true"}

CrewOf = Callable[..., Crew]


@contextmanager
def killed(crew: Crew, node: str, folder: Path) -> Iterator[None]:
    """A node works as a process of its own until it has ended jobs; then it is killed.

    It asks so seldom that it is far from its end then, also if this test gets no time for some seconds.
    """
    process = ScoopiProcess(crew.arguments(node, loader_fetch_delay=HALTING_MS), folder)
    try:
        segments = crew.folder / ".scoopi" / node / "segments"
        # A third of a frame's rows is more than the file's header.
        wait_until(
            lambda: sum(file.stat().st_size for file in segments.glob("*.seg")) > 2000, "rows", LIMIT_S
        )
        yield
        process.signal(signal.SIGKILL)
        assert process.wait(LIMIT_S) == -signal.SIGKILL
    finally:
        process.kill_all()


def phase_of(client: ClusterClient, run: str) -> RunPhase | None:
    state = RunRecord(HazelcastStore(client, run), "test").read()
    return None if state is None else state.phase


def members_of(client: ClusterClient, run: str) -> list[NodeRecord]:
    return list(Membership(HazelcastStore(client, run), "test", "test").read().values())


def said(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_rows_of_a_node_that_is_missing_are_awaited_and_come_with_it(
    crew_of: CrewOf, world: World, tmp_path: Path, cluster: ClusterClient
) -> None:
    crew = crew_of("of-ann", **SLOW)
    other = crew_of("of-bob")
    with killed(crew, "ann", tmp_path):
        pass
    report = other.start("bob").result(LIMIT_S)
    assert (report.status, report.published) == (RunStatus.DONE, True)
    start = f"start again with --run {crew.run_name} -D scoopi.cluster.node=ann on the same machine"
    assert report.publish_note == f"rows of ann are not published yet: {start}"
    assert said(other.folder / "run.json")["awaiting"] == ["ann"]
    code, out, _ = other.ask("status", crew.run_name)
    assert code == 0
    assert out.endswith(f"rows of ann are not published yet: {start}\n")
    assert other.rows() < world.rows
    assert phase_of(cluster, crew.run_name) is RunPhase.ENDING

    (late,) = crew_of("of-ann").run("ann")
    assert (late.status, late.publish_note) == (RunStatus.DONE, "the run was already over")
    assert other.rows() + crew.rows() == world.rows
    assert phase_of(cluster, crew.run_name) is RunPhase.OVER


def test_of_nodes_without_ids_in_one_folder_the_one_started_again_is_the_one_whose_rows_are_awaited(
    crew_of: CrewOf, world: World, tmp_path: Path
) -> None:
    crew = crew_of(**SLOW)
    crew.run_name = ""
    (before,) = crew.run("ann")
    crew.run_name = before.run[:-4] + "zoes"
    with killed(crew, "zoe", tmp_path):
        pass
    (report,) = crew.run("ann")
    assert "rows of zoe are not published yet" in report.publish_note
    rows, crew.run_name = crew.rows(), ""
    (after,) = crew.run("")
    crew.run_name = before.run[:-4] + "zoes"
    assert rows < crew.rows() == world.rows
    assert after.run not in (before.run, crew.run_name)
    assert after.rows


def test_a_node_that_is_stopped_makes_the_run_over_that_the_others_have_ended_meanwhile(
    crew_of: CrewOf, cluster: ClusterClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has taken nothing yet: of a node that has, the others may wait for the hosts until it has left."""
    crew, stops, stopped = crew_of(), threading.Event(), RunCompletion.stop

    def stopped_late(completion: RunCompletion) -> RunReport:
        stops.set()
        wait_until(ann.done, "the end of the other node", LIMIT_S)
        return stopped(completion)

    monkeypatch.setattr(RunCompletion, "stop", stopped_late)
    with held(cluster, crew, f"seed/{crew.precompose(cluster)}"):
        ann, bob = crew.start("ann"), crew.start("bob")
        wait_until(lambda: len(members_of(cluster, crew.run_name)) == 2, "both nodes", LIMIT_S)
        crew.cancel()
        assert stops.wait(LIMIT_S)
    assert (ann.result(LIMIT_S).status, bob.result(LIMIT_S).status) == (RunStatus.DONE, RunStatus.STOPPED)
    assert phase_of(cluster, crew.run_name) is RunPhase.OVER
    assert crew.rows() == world.rows


def test_a_node_that_comes_when_all_is_over_says_so_and_writes_nothing(
    crew_of: CrewOf, world: World, cluster: ClusterClient, server: Server
) -> None:
    crew = crew_of()
    crew.run("ann", "bob")
    assert crew.rows() == world.rows
    files = {file: file.read_bytes() for file in crew.folder.glob("data*")}
    asked, known = len(server.log.all()), len(members_of(cluster, crew.run_name))

    (stranger,) = crew_of("elsewhere").run("cid")
    assert (stranger.status, stranger.publish_note) == (RunStatus.DONE, "the run was already over")
    assert stranger.rows == {}
    assert list((crew_of("elsewhere").folder).glob("data*")) == []
    (back,) = crew.run("ann")
    assert (back.status, back.publish_note) == (RunStatus.DONE, "the run was already over")
    assert {file: file.read_bytes() for file in crew.folder.glob("data*")} == files
    assert (len(server.log.all()), len(members_of(cluster, crew.run_name))) == (asked, known)


def test_all_nodes_end_within_a_few_timer_periods_after_the_last_job(
    crew_of: CrewOf, world: World, server: Server
) -> None:
    period_s = 0.5
    slow = {"scoopi.cluster.heartbeat": "500", "scoopi.monitor.timerPeriod": "500"}
    crew_of(**SLOW, **slow).run("ann", "bob", "cid")
    ended = time.monotonic()
    assert len(server.log.pages()) == world.jobs
    last = max(each.started for each in server.log.all())
    assert ended - last < 12 * period_s


def test_in_a_shared_folder_the_rows_of_a_killed_node_are_published_by_another(
    crew_of: CrewOf, world: World, tmp_path: Path, cluster: ClusterClient
) -> None:
    crew = crew_of(**SHARED, **SLOW)
    with killed(crew, "ann", tmp_path):
        pass
    reports = crew_of(**SHARED).run("bob", "cid")
    assert [report.publish_note for report in reports] == ["", ""]
    assert crew.rows("data-ann.txt").total() > 0
    assert said(crew.folder / ".scoopi" / "ann" / "node.json")["over"] is True
    assert crew.rows() == world.rows
    assert phase_of(cluster, crew.run_name) is RunPhase.OVER
    for node in ("bob", "cid"):
        assert said(crew.folder / ".scoopi" / node / "run.json")["status"] == "done"
    assert said(crew.folder / "run.json")["awaiting"] == []


def test_merged_rows_are_one_file_whichever_node_was_killed(
    crew_of: CrewOf, world: World, tmp_path: Path, cluster: ClusterClient
) -> None:
    crew = crew_of(**MERGED, **SLOW)
    with killed(crew, "ann", tmp_path):
        stopped = crew.start("dan")
        wait_until(lambda: len(members_of(cluster, crew.run_name)) == 2, "the second node", LIMIT_S)
        crew.cancel()
        assert stopped.result(LIMIT_S).status is RunStatus.STOPPED
        assert list(crew.folder.glob("data*")) == []
    reports = crew_of(**MERGED).run("bob", "cid")
    assert [report.rows for report in reports] == [{"data.txt": world.rows.total()}] * 2
    assert {report.jobs.done for report in reports} == {world.jobs}
    assert [file.name for file in crew.folder.glob("data*")] == ["data.txt"]
    assert crew.rows() == world.rows
    assert phase_of(cluster, crew.run_name) is RunPhase.OVER


def test_a_holder_that_dies_while_it_merges_is_replaced(
    crew_of: CrewOf, world: World, cluster: ClusterClient
) -> None:
    crew = crew_of(**MERGED)
    lease = msgspec.json.encode(LeaseRecord("dead", 0), order="sorted")
    held = f"barricade/merge/{crew.precompose(cluster)}"
    HazelcastStore(cluster, crew.run_name).put_if_absent_all(RUN, [(held, lease)])
    reports = crew.run("ann", "bob")
    assert [report.rows for report in reports] == [{"data.txt": world.rows.total()}] * 2
    assert crew.rows() == world.rows


def test_merging_wants_a_folder_that_all_nodes_see(crew_of: CrewOf) -> None:
    with pytest.raises(
        Exception, match=r"scoopi\.output\.merge: .* set scoopi\.output\.durability to shared"
    ):
        crew_of(**{"scoopi.output.merge": "true"}).run("ann")


def test_lost_data_is_noticed_and_the_files_stay_until_it_is_restarted(
    crew_of: CrewOf, world: World, tmp_path: Path
) -> None:
    with members(tmp_path) as started:
        port = int(started[0].address.rpartition(":")[2])
        client = ClusterClient(settings_of(started))
        crew = crew_of(client=client, **SLOW)
        client.close()
        first = crew.start("ann", loader_fetch_delay=HALTING_MS)
        wait_until(lambda: any(crew.folder.glob(".scoopi/ann/segments/*.seg")), "the segment", LIMIT_S)
        wait_until(lambda: _grown(crew), "some rows", LIMIT_S)
        crew.cancel()
        first.result(LIMIT_S)
        published = crew.rows()
        again = crew.start("ann", loader_fetch_delay="2000")
        wait_until(lambda: said(crew.folder / "run.json")["status"] == "running", "the second start", LIMIT_S)
        started[0].end(hard=True)
        with members(tmp_path / "again", port=port):
            with pytest.raises(Exception, match="data is lost"):
                again.result(LIMIT_S)
            assert crew.rows() == published
            with pytest.raises(Exception, match="--discard-lost moves them aside"):
                crew.start("ann").result(LIMIT_S)
            assert crew.rows() == published
            (report,) = crew_of(client=client, discard_lost=True).run("ann")
            assert report.status is RunStatus.DONE
            assert crew.rows() == world.rows
            assert crew.rows(".scoopi/lost-*/files/data-ann.txt") == published


def _grown(crew: Crew) -> bool:
    return any(file.stat().st_size > 2000 for file in crew.folder.glob(".scoopi/ann/segments/*.seg"))
