"""DriverPulse: a driver that answers is not silent, one that is frozen is."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.driver_pulse import DriverPulse
from scoopi.browser.started import Started
from scoopi.configs.groups import BrowserSettings
from tests.engine.desk import wait_until

LOOKS = 200
"""Many more than a silent driver needs."""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    made = start_chromium(BrowserSettings(), tmp_path)
    yield made
    made.kill()


def test_a_driver_is_silent_while_it_is_frozen(started: Started) -> None:
    pulse = started.pulse
    assert not any(pulse.is_silent() for _ in range(4)), "the last one asks"
    os.kill(started.pid, signal.SIGSTOP)
    pulse.forget()
    assert any(pulse.is_silent() for _ in range(LOOKS))
    os.kill(started.pid, signal.SIGCONT)
    wait_until(lambda: not pulse.is_silent(), "the driver's answer")


def test_a_driver_that_is_killed_is_not_waited_for(started: Started) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        pulse = DriverPulse(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert not any(pulse.is_silent() for _ in range(4)), "the last one asks"
        replace(started, pulse=pulse).kill()
        with silent.accept()[0] as asked, asked.makefile("rb") as requests:
            asked.settimeout(10)
            assert requests.read().startswith(b"GET /status "), "and the connection has ended"


def test_what_has_no_address_is_never_silent() -> None:
    pulse = DriverPulse()
    assert not any(pulse.is_silent() for _ in range(LOOKS))
