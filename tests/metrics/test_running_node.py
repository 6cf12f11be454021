"""A run that is asked while it runs shows what it does, that it lives, and when it stops."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.model.report.run_report import RunReport
from tests.engine.workspace import Workspace, wait_until
from tests.metrics.asking import Said, ask, samples
from tests.reliability.process import children_of
from tests.server.server import Server

SETTINGS = {
    "scoopi.metrics.server.enable": "true",
    "scoopi.metrics.server.port": "0",
    "scoopi.loader.fetch.delay": "0",
    "scoopi.loader.fetch.parallelism": "2",
}
DEFINITIONS = """\
locatorGroups:
  page:
    locators:
      - {{ name: a, url: "{base}/a.html" }}
      - {{ name: b, url: "{base}/b.html" }}
      - {{ name: gone, url: "{base}/gone.html" }}
      - {{ name: slow, url: "{base}/bad/never-answers" }}
taskGroups:
  page: {{ titleTask: {{ dataDef: titles }} }}
dataDefs:
  titles:
    query: {{ block: "body", selector: "li:nth-child(%{{item.index}})" }}
    items: [ item: {{ name: title, indexRange: 1-3, value: title }} ]
"""


@dataclass
class Running:
    """A run in a thread of its own, one of whose pages never comes."""

    scoopi: Scoopi
    port: int
    reports: list[RunReport]

    def says(self, path: str) -> Said:
        return ask(self.port, path)

    def figures(self) -> dict[str, float]:
        return samples(self.says("/metrics").text)


@pytest.fixture
def running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Running]:
    monkeypatch.chdir(tmp_path)
    pages, defs = tmp_path / "pages", tmp_path / "defs.yml"
    pages.mkdir()
    for name in ("a", "b"):
        (pages / f"{name}.html").write_text("<ul><li>1<li>2<li>3</ul>")
    with Server(pages) as server:
        defs.write_text(DEFINITIONS.format(base=server.url("").rstrip("/")))
        scoopi = Scoopi(defs, SETTINGS, workers=1)
        reports: list[RunReport] = []
        thread = threading.Thread(target=lambda: reports.append(scoopi.run()))
        thread.start()
        try:
            wait_until(lambda: "metrics: http" in caplog.text, "the metrics server's start")
            port = int(caplog.text.partition("metrics: http://127.0.0.1:")[2].split()[0])
            yield Running(scoopi, port, reports)
        finally:
            scoopi.cancel(hard=True)
            thread.join(60)
            assert not thread.is_alive()


def test_a_run_shows_its_work_and_when_it_stops(running: Running) -> None:
    wait_until(lambda: running.says("/readyz").status == 200, "readiness")
    assert running.says("/healthz") == Said(200, "text/plain; charset=utf-8", "ok\n")
    wait_until(lambda: running.figures()["scoopi_jobs_failed_total"] == 1, "the end of three jobs")
    wait_until(lambda: running.figures()["scoopi_jobs_left"] == 1, "a fresh look at the store")
    figures = running.figures()
    assert figures["scoopi_jobs_done_total"] == 2
    assert figures["scoopi_rows_committed_total"] == 6
    assert figures["scoopi_jobs_held"] == figures['scoopi_queue_length{queue="workers"}'] == 1
    assert figures["scoopi_requests_in_flight"] == figures["scoopi_hosts_in_flight"] == 1
    assert (figures["scoopi_workers"], figures["scoopi_workers_ready"]) == (1, 1)
    assert figures['scoopi_step_seconds_total{step="parser"}'] > 0
    assert figures["scoopi_committed_bytes_total"] > 0
    assert figures["scoopi_commit_seconds_count"] >= 1
    assert figures['scoopi_commit_seconds_bucket{le="10.0"}'] == figures["scoopi_commit_seconds_count"]
    assert all(
        figures[f'scoopi_resident_memory_bytes{{process="{who}"}}'] > 1e6 for who in ("parent", "workers")
    )
    status = json.loads(running.says("/api/status").text)
    assert (status["state"], status["jobs"]["left"], status["rows"]) == ("READY", 1, 6)

    running.scoopi.cancel()
    assert running.says("/readyz") == Said(
        503, "text/plain; charset=utf-8", "the node ends its part of the run\n"
    )
    assert running.says("/healthz").status == 200
    running.scoopi.cancel(hard=True)
    wait_until(lambda: running.reports, "the end of the run")
    with pytest.raises(ConnectionRefusedError):
        running.says("/healthz")


def test_a_worker_that_dies_is_counted_and_the_node_lives_on(running: Running) -> None:
    wait_until(lambda: running.says("/readyz").status == 200, "readiness")
    for pid in list(children_of(os.getpid())):
        if b"scoopi.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: running.figures()["scoopi_worker_crashes_total"] == 1, "the death")
    assert running.says("/healthz").status == 200
    wait_until(lambda: running.says("/readyz").status == 200, "another worker")


def test_a_run_whose_port_is_taken_says_so_and_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "defs.yml").write_text(DEFINITIONS.format(base="http://127.0.0.1:9"))
    workspace = Workspace(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        workspace.settings = {**SETTINGS, "scoopi.metrics.server.port": other.getsockname()[1]}
        ended = workspace.scoopi("run", "defs.yml")
    assert ended.code == 5
    assert "scoopi.metrics.server.port" in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (workspace.run_folder() / "run.json").exists()
