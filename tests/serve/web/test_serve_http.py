"""`scoopi serve --http` answers while it works, shows no secret, and only where it was asked to listen."""

from __future__ import annotations

import json
import re
import signal
import socket
from pathlib import Path

import pytest

from tests.metrics.asking import ask, samples
from tests.serve.serving import Serving, until

SECRET = "geheim-4711"
PATHS = ("/metrics", "/api/status", "/api/processes", "/api/jobs", "/api/attempts", "/api/workers")


def port_of(serving: Serving) -> int:
    """The port that a `serve` of this folder says it has taken."""
    shown = r"serves scheduler, and http://127\.0\.0\.1:(\d+)"
    until(lambda: re.search(shown, serving.read("serve.log")))
    found = re.search(shown, serving.read("serve.log"))
    assert found
    return int(found[1])


def test_a_serve_shows_its_work_and_no_secret(serving: Serving, tmp_path: Path) -> None:
    go = tmp_path / "go"
    serving.environ["TOKEN"] = SECRET
    serving.deploy(f"""
        waiter:
          executes:
            command: [sh, -c, 'echo $TOKEN; until test -e {go}; do sleep 0.1; done']
            env: {{TOKEN: "${{ token }}"}}
          inputs: {{token: "${{env:TOKEN}}"}}
    """)
    serving.run("launch", "waiter")
    with serving.served("--http", "0") as process:
        port = port_of(serving)
        until(lambda: json.loads(ask(port, "/api/attempts").text)["attempts"][0]["status"] == "running")
        until(lambda: ask(port, "/readyz").status == 200)
        assert ask(port, "/healthz").status == 200
        running = 'scoopi_schedule_attempts{process="waiter",status="running"}'
        assert samples(ask(port, "/metrics").text)[running] == 1
        assert ask(port, "/api/jobs", "POST").status == 501
        shown = "".join(ask(port, path).text for path in (*PATHS, "/api/why?job=waiter/!1"))
        assert "${env:TOKEN}" in shown
        assert SECRET not in shown
        go.touch()
        ended = 'scoopi_attempts_ended_total{process="waiter",status="succeeded"}'
        until(lambda: samples(ask(port, "/metrics").text).get(ended) == 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143


def test_only_names_of_this_machine_and_given_ones_are_answered(serving: Serving) -> None:
    serving.deploy("p: {executes: {command: ['true']}, mode: manual}")
    with serving.served("--http", "0", "--http-name", "jobs.example"):
        port = port_of(serving)
        names = ("localhost", "jobs.example", "evil.example")
        until(lambda: [ask(port, "/api/status", name=name).status for name in names] == [200, 200, 421])


def test_a_port_that_is_taken_ends_it_before_it_works(serving: Serving) -> None:
    serving.deploy("p: {executes: {command: ['true']}, mode: manual}")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serving.served("--http", str(port)) as process:
            assert process.wait(60) == 5
    assert f"cannot listen on 127.0.0.1 port {port}" in serving.read("serve.log")
    assert serving.rows("worker", "list") == []


@pytest.mark.parametrize("address", ["x", ":9010", "1.2.3.4:99999"])
def test_a_wrong_address_is_an_error_of_usage(serving: Serving, address: str) -> None:
    with serving.served(f"--http={address}") as process:
        assert process.wait(60) == 2
    assert f"needs [HOST:]PORT, got {address!r}" in serving.read("serve.log")
