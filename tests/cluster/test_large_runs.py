"""A run of many locators: its members live, and each locator is done once, whichever process crashes."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.engine.job_seeder import MOST_READY
from scoopi.model.report.run_report import RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_heaps import MemberHeaps
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord
from tests.cluster.grids import members, settings_of
from tests.cluster.holding import store_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World

MANY = 200_000
"""One by one, this number of waiting jobs takes 180 MB of heap."""
SMALL_HEAP = "72m"
DEFINITIONS = """\
locatorGroups:
  page:
    locators:
{locators}
taskGroups:
  page:
    titleTask: {{ dataDef: title }}
dataDefs:
  title:
    query: {{ block: "body", selector: "h1" }}
    items: [ item: {{ name: title, value: title }} ]
"""


def large_world(folder: Path, number: int) -> World:
    """Definitions of `number` locators, all of one page."""
    folder.mkdir()
    (folder / "page.html").write_text("<h1>A page</h1>")
    locators = "\n".join(f'      - {{ name: p{each}, url: "page.html#{each}" }}' for each in range(number))
    (folder / "defs").mkdir()
    (folder / "defs" / "job.yml").write_text(DEFINITIONS.format(locators=locators))
    rows = Counter(f"p{each}|page|title|A page" for each in range(number))
    return World(folder / "defs", rows, number)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Of two packs beside the jobs that are ready from the start."""
    return large_world(tmp_path / "world", MOST_READY * 2 + MOST_READY // 2)


def test_a_node_that_is_killed_while_packs_are_left_costs_no_job(
    runner_of: Callable[..., NodeRunner], cluster: ClusterClient, world: World, tmp_path: Path
) -> None:
    runner = runner_of(**{"scoopi.output.durability": "shared"})
    ann = ScoopiProcess(runner.arguments("ann"), tmp_path)
    jobs = JobStore(store_of(cluster, runner), "test")
    try:
        begun = MOST_READY // 2
        wait_until(lambda: 0 < jobs.left() < world.jobs - begun, "a part of its jobs", LIMIT_S, ann)
        ann.signal(signal.SIGKILL)
        assert ann.wait(LIMIT_S) == -signal.SIGKILL
        assert runner.run("bob")[0].status is RunStatus.DONE
    finally:
        ann.kill_all()
    assert runner.rows() == world.rows


def test_a_run_that_would_fill_its_members_one_by_one_is_seeded_and_they_live(tmp_path: Path) -> None:
    world = large_world(tmp_path / "large", MANY)
    with members(tmp_path / "members", heap=SMALL_HEAP) as (member,):
        client = ClusterClient(settings_of([member]))
        wait_until(MemberHeaps(client).read, "the member's first figures", LIMIT_S)
        with NodeRunner(client, world.defs, tmp_path / "out", "large", {}) as runner:
            store = store_of(client, runner)
            ann = ScoopiProcess(runner.arguments("ann"), tmp_path)
            try:
                wait_until(lambda: is_seeded(RunRecord(store, "test")), "its seeding", 2 * LIMIT_S, ann)
                ann.signal(signal.SIGTERM)
                assert ann.wait(LIMIT_S) == 143
            finally:
                ann.kill_all()
            assert member.is_running
            said = (tmp_path / "stderr.txt").read_text()
            assert "200000 jobs need about 57 MB of each member's heap, and" in said
            jobs = JobStore(store, "test")
            done = sum(len(page) for page in jobs.finished.pages())
            assert jobs.left() + done == MANY
        client.close()


def is_seeded(record: RunRecord) -> bool:
    state = record.read()
    return state is not None and state.seeded
