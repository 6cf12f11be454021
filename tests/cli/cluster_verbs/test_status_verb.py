"""What `scoopi status` shows of a cluster."""

from __future__ import annotations

import io

import pytest

from scoopi.cli.cluster_verbs.status_verb import StatusText
from scoopi.cli.terminal import Terminal
from scoopi.model.report.run_figures import (
    ClusterFigures,
    HostFigures,
    JobFigures,
    NodeFigures,
    RunFigures,
    ShareFigures,
)

ALIVE = NodeFigures("ann", "alive", taken=4, ended=1200, pages=1207, pages_per_s=12.5)
DEAD = NodeFigures("bob", "dead", taken=0, ended=31, pages=30, pages_per_s=0.0)
LEFT = NodeFigures("cid", "left", taken=0, ended=9, pages=9, pages_per_s=0.0)
JOBS = JobFigures(ready=345, taken=4, done=1238, failed=2)
SHARE = HostFigures("shop.example:443", (ShareFigures("ann", 1000, 1),), ("bob",))


def text(*runs: RunFigures) -> str:
    terminal = Terminal(io.StringIO(), io.StringIO(), {})
    return StatusText(terminal).text(ClusterFigures("fair", ("10.0.0.7:5701", "10.0.0.8:5701"), runs))


def test_a_run_under_way_is_a_table_of_its_nodes_and_hosts() -> None:
    run = RunFigures("fair-1", "RUNNING", seeded=True, nodes=(ALIVE, DEAD), jobs=JOBS, hosts=(SHARE,))
    assert text(run) == (
        "cluster fair: 2 members (10.0.0.7:5701, 10.0.0.8:5701)\n"
        "\n"
        "run fair-1  RUNNING\n"
        "  jobs    345 ready, 4 taken, 1,238 done, 2 failed\n"
        "  nodes   node  state  taken  ended  pages  pages/s\n"
        "          ann   alive      4  1,200  1,207     12.5\n"
        "          bob   dead       0     31     30        -\n"
        "  hosts   host              node     delay  parallelism\n"
        "          shop.example:443  ann   1,000 ms            1\n"
        "          shop.example:443  bob      waits"
    )


def test_jobs_that_wait_for_a_retry_are_shown_with_the_time_of_the_next() -> None:
    waits = RunFigures("r", "RUNNING", True, (ALIVE,), JobFigures(waiting=1200, retry_in_s=12.3, skipped=1))
    assert "jobs    0 ready, 1,200 waiting for retry (next in 12 s), 0 taken, 0 done" in text(waits)
    gone = RunFigures("r", "RUNNING", True, (DEAD,), JobFigures(waiting=2))
    assert "0 ready, 2 waiting for retry, 0 taken" in text(gone)


def test_a_cluster_without_a_majority_of_its_members_is_shown_as_split() -> None:
    terminal = Terminal(io.StringIO(), io.StringIO(), {})
    one = ClusterFigures("fair", ("10.0.0.7:5701",), most_members=2)
    assert StatusText(terminal).text(one) == (
        "cluster fair: 1 member (10.0.0.7:5701)\n"
        "the cluster seems split: 1 of 2 members; its nodes wait for the others\n"
        "no runs"
    )
    two = ClusterFigures("fair", ("10.0.0.7:5701", "10.0.0.8:5701"), most_members=3)
    assert "split" not in StatusText(terminal).text(two)


@pytest.mark.parametrize(
    ("run", "hint"),
    [
        (RunFigures("r", "RUNNING", True, (ALIVE, DEAD)), ""),
        (
            RunFigures("r", "RUNNING", True, (DEAD, LEFT)),
            "no node is working on it: start nodes again with --run r",
        ),
        (
            RunFigures("r", "ENDING", True, (DEAD, LEFT), awaiting=("bob",)),
            "rows of bob are not published yet: "
            "start again with --run r -D scoopi.cluster.node=bob on the same machine",
        ),
        (RunFigures("r", "OVER", True, (LEFT,)), ""),
        (RunFigures("r", "WAITING", nodes=(ALIVE,)), ""),
    ],
    ids=["alive", "deserted", "awaiting", "over", "waiting"],
)
def test_a_run_that_does_not_go_on_by_itself_says_what_to_do(run: RunFigures, hint: str) -> None:
    last = text(run).splitlines()[-1].strip()
    assert (last == hint) if hint else ("--run" not in last)


def test_a_run_that_has_not_begun_has_no_jobs_to_show() -> None:
    assert "jobs" not in text(RunFigures("r", "WAITING", nodes=(ALIVE,)))


def test_of_very_many_hosts_the_first_are_reported_and_the_rest_counted() -> None:
    hosts = tuple(HostFigures(f"h{number:02}:80", (ShareFigures("ann", 0, 4),)) for number in range(23))
    lines = text(RunFigures("r", "RUNNING", True, (ALIVE,), hosts=hosts)).splitlines()
    assert lines[-1].strip() == "and 3 more (--json)"
    assert sum(":80" in line for line in lines) == 20


def test_a_cluster_without_runs_says_so() -> None:
    assert text().endswith("\nno runs")


def test_a_run_that_stays_unfinished_shows_when_it_is_removed() -> None:
    kept = RunFigures("r", "RUNNING", True, (LEFT,), kept_s=604_800)
    assert "it is removed 7 days after its last heartbeat; `scoopi forget r` removes it now" in text(kept)
    assert "heartbeat" not in text(RunFigures("r", "RUNNING", True, (ALIVE,), kept_s=604_800))
    assert "heartbeat" not in text(RunFigures("r", "OVER", True, (LEFT,), kept_s=604_800))
