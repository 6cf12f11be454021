"""HostClaims: of two runs that ask one host the second is warned, and nobody else."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.politeness.host_claims import HostClaims

ONE, TWO = "one.example:80", "two.example:80"


@pytest.fixture
def run_at(tmp_path: Path) -> Iterator[Callable[[], HostClaims]]:
    made: list[HostClaims] = []

    def start() -> HostClaims:
        made.append(HostClaims(tmp_path / "hosts"))
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_a_run_that_asks_a_host_of_another_run_is_reported_once(
    run_at: Callable[[], HostClaims], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = run_at(), run_at()
    for host in (ONE, TWO, ONE):
        first.claim(host)
    assert caplog.messages == []
    for host in ("three.example:80", ONE, TWO):
        second.claim(host)
    (message,) = caplog.messages
    assert message.startswith("host one.example:80: another run of yours on this machine asks it too")


def test_a_run_that_has_ended_is_no_other_run(
    run_at: Callable[[], HostClaims], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = run_at(), run_at()
    first.claim(ONE)
    first.close()
    second.claim(ONE)
    assert caplog.messages == []


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "nowhere"])
def test_what_is_not_a_file_of_the_user_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    place = tmp_path / ("absent/hosts" if kind == "nowhere" else "hosts")
    if kind == "link":
        place.symlink_to(tmp_path / "target")
    elif kind == "folder":
        place.mkdir()
    elif kind == "fifo":
        os.mkfifo(place)
    claims = HostClaims(place)
    with caplog.at_level(logging.DEBUG):
        claims.claim(ONE)
    claims.close()
    assert caplog.messages == []
    assert not (tmp_path / "target").exists()
