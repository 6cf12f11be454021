"""WorkersModule: what of the requests to a host differs between one machine, a resumed run and a cluster."""

from __future__ import annotations

import logging
import secrets
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.errors import LoadFault
from scoopi.mediator.task_mediator import LEAST_AHEAD, Prefetch
from scoopi.mediator.workers.robots_gate import Clearance, RobotsGate
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.politeness.host_rate_limiter import HostRateLimiter
from scoopi.politeness.host_sharing import HostSharing
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from tests.bootstrap.wired_run import WiredRun

HOST, OTHER = "site.example:80", "other.example:80"
LOGGER = "scoopi.bootstrap.wiring.workers_module"


@pytest.mark.parametrize(("is_on_nodes", "windows"), [(False, 2), (True, 8)])
def test_more_jobs_are_taken_ahead_in_a_cluster_as_its_store_takes_longer(
    tmp_path: Path, opened: ExitStack, is_on_nodes: bool, windows: int
) -> None:
    prefetch = WiredRun(tmp_path, opened, {}, is_on_nodes=is_on_nodes).get(Prefetch)
    assert prefetch.most(0.0, lambda: LEAST_AHEAD) == windows * LEAST_AHEAD


def test_a_resumed_run_waits_before_its_first_request_as_the_last_one_may_have_been_just_sent(
    tmp_path: Path, opened: ExitStack
) -> None:
    settings, host = {"scoopi.loader.fetch.delay": "60000"}, f"{secrets.token_hex(8)}.example:80"
    limiter = WiredRun(tmp_path, opened, settings, resumed=True).get(HostRateLimiter)
    assert limiter.grant(host, "a") is None
    assert 0 < limiter.ready_at(host) - time.monotonic() <= 60
    # No other run of this user has asked a host of this name, whose pace they would share.
    assert WiredRun(tmp_path, opened, settings).get(HostRateLimiter).grant(host, "a") is not None


def test_a_crawl_delay_and_a_rest_that_the_clocks_learn_of_hold_for_the_shares_of_a_node(
    tmp_path: Path, opened: ExitStack
) -> None:
    run = WiredRun(tmp_path, opened, {"scoopi.loader.fetch.delay": "1000"}, is_on_nodes=True)
    members, shares, limiter = run.get(Membership), run.get(HostSharing).shares, run.get(HostRateLimiter)
    assert shares is not None
    members.beat(NodeLoad(0, False))
    members.watch()

    def first_at() -> float:
        shares.poll([HOST])
        shares.settle([HOST], ())
        share = shares.share_of(HOST)
        assert share is not None
        return share.first_at

    opened_at = first_at()
    limiter.slow_down(HOST, 60.0)
    assert first_at() == opened_at + 59.0
    limiter.ended(HOST, "a", True, LoadFault(retry_after_s=600.0, is_transient=True))
    assert first_at() > opened_at + 500.0


def test_without_worker_processes_there_is_one_worker_in_a_thread(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    monkeypatch.setattr(WorkerPool, "__init__", lambda pool, launch, count, plan, most: counts.append(count))
    for workers in ("0", "3"):
        WiredRun(tmp_path, opened, {"scoopi.workers": workers}).get(WorkerPool)
    assert counts == [1, 3]


def test_that_robots_txt_is_ignored_everywhere_is_logged_once(
    tmp_path: Path, opened: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOGGER)
    gate = WiredRun(tmp_path, opened, {"scoopi.loader.robots": "false"}).get(RobotsGate)
    for host in (HOST, OTHER):
        assert gate.verdict(host, f"http://{host}/", False) is Clearance.CLEAR
    assert caplog.messages == ["robots.txt is not followed (scoopi.loader.robots)"]


def test_that_robots_txt_of_a_site_is_ignored_is_logged_once_with_the_place_of_its_entry(
    tmp_path: Path, opened: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOGGER)
    gate = WiredRun(tmp_path, opened, more="sites: { site.example: { robots: false } }").get(RobotsGate)
    for _ in range(2):
        assert gate.verdict(HOST, f"http://{HOST}/", False) is Clearance.CLEAR
        assert gate.verdict(OTHER, f"http://{OTHER}/", False) is Clearance.WAITS
    (line,) = caplog.messages
    assert line.startswith(f"host {HOST}: robots.txt is not followed (")
    assert "defs.yml" in line
