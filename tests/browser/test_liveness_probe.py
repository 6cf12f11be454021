"""LivenessProbe: a driver or a browser that answers is not silent, one that is frozen is."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.firefox.firefox_driver import start_firefox
from scoopi.browser.liveness_probe import LivenessProbe, browser_probe, driver_probe
from scoopi.browser.started import Started
from scoopi.configs.groups import BrowserSettings
from tests.engine.workspace import wait_until
from tests.reliability.process import children_of

CHECKS = 200
"""Many more than a silent program needs."""
PROGRAMS = {"chromium": "chrom", "firefox": "firefox"}
"""What the names of the browsers' processes begin with."""


@pytest.fixture(params=PROGRAMS)
def started(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Started]:
    is_chromium = request.param == "chromium"
    settings = BrowserSettings() if is_chromium else BrowserSettings(browser="firefox").with_firefox()
    made = (start_chromium if is_chromium else start_firefox)(settings, tmp_path)
    yield made
    made.kill()


def is_silent_while_frozen(probe: LivenessProbe, pid: int) -> None:
    assert not any(probe.is_silent() for _ in range(4)), "the last one asks"
    os.kill(pid, signal.SIGSTOP)
    probe.forget()
    wait_until(probe.is_silent, "its silence")
    os.kill(pid, signal.SIGCONT)
    wait_until(lambda: not probe.is_silent(), "its answer")


def test_a_driver_is_silent_while_it_is_frozen(started: Started) -> None:
    assert started.probe is not None
    is_silent_while_frozen(started.probe, started.pid)


def test_a_browser_is_silent_while_it_is_frozen(started: Started) -> None:
    names = {pid: Path(f"/proc/{pid}/comm").read_text() for pid in children_of(started.pid)}
    (browser,) = (pid for pid, name in names.items() if name.startswith(tuple(PROGRAMS.values())))
    is_silent_while_frozen(browser_probe(started.tab.ask), browser)


def test_a_driver_that_is_killed_is_not_waited_for(started: Started) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        probe = driver_probe(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert not any(probe.is_silent() for _ in range(4)), "the last one asks"
        replace(started, probe=probe).kill()
        with silent.accept()[0] as asked, asked.makefile("rb") as requests:
            asked.settimeout(10)
            assert requests.read().startswith(b"GET /status "), "and the connection has ended"


def test_a_driver_that_has_ended_is_silent_in_the_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as ended:
        address = f"http://127.0.0.1:{ended.getsockname()[1]}"
    probe = driver_probe(address)
    assert any(probe.is_silent() for _ in range(CHECKS))
