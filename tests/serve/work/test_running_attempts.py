"""RunningAttempts identifies attempts by their claims, and reports the end of each once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.process import Executes, Process
from scoopi.serve.claims.claim import Claim
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.running_attempts import AttemptReport, RunningAttempts
from tests.serve.serving import until
from tests.serve.work.specs.supervising import ATTEMPT, shell, spec_in

PROCESS = Process(name="p", executes=Executes(kind="command", what=("sh",)), mode="manual")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningAttempts]:
    wake_up = WakeUp(tmp_path, "w")
    made = RunningAttempts(wake_up)
    yield made
    made.close()
    wake_up.close()


def reports(running: RunningAttempts) -> list[AttemptReport]:
    found: list[AttemptReport] = []

    def is_over() -> bool:
        found.extend(running.wait(0.1)[0])
        return not running

    until(is_over)
    return found


def test_an_attempt_that_is_claimed_again_beside_its_former_work_is_reported_once(
    running: RunningAttempts, tmp_path: Path
) -> None:
    again = replace(ATTEMPT, fence=ATTEMPT.fence + 1)
    running.start(Claim(ATTEMPT), PROCESS, spec_in(tmp_path) | shell("touch begun; sleep 300"))
    until((tmp_path / "begun").exists)
    running.start(Claim(again), PROCESS, spec_in(tmp_path) | shell("true"))
    assert len(running) == 2
    assert [claim.fence for claim in running.claims()] == [ATTEMPT.fence, again.fence]
    running.see(again, {"step": 60.0})
    found = reports(running)
    ends = [(each.claim.fence, each.ending and each.ending.status) for each in found]
    assert sorted(ends) == [(1, "revoked"), (2, "succeeded")]


def test_a_cancel_stops_the_claim_that_counts_once(running: RunningAttempts, tmp_path: Path) -> None:
    running.start(Claim(ATTEMPT), PROCESS, spec_in(tmp_path) | shell("touch begun; sleep 300"))
    until((tmp_path / "begun").exists)
    wished = replace(ATTEMPT, wish="cancel", wish_mode="step")
    for _ in range(2):
        running.see(wished, {"step": 60.0})
    (report,) = reports(running)
    assert report.ending is not None
    assert report.ending.status == "canceled"


def fork_server_of(running: RunningAttempts, folder: Path) -> int:
    """The process id of the fork server, which has started a supervisor."""
    running.start(Claim(ATTEMPT), PROCESS, spec_in(folder) | shell("cut -d' ' -f4 /proc/$PPID/stat > server"))
    assert [each.ending and each.ending.status for each in reports(running)] == ["succeeded"]
    return int((folder / "server").read_text())


@pytest.mark.parametrize("is_stopped", [False, True])
def test_work_is_started_again_if_the_fork_server_is_killed_with_the_request_for_it(
    running: RunningAttempts, tmp_path: Path, is_stopped: bool
) -> None:
    server = fork_server_of(running, tmp_path)
    os.kill(server, signal.SIGSTOP)
    again = replace(ATTEMPT, fence=ATTEMPT.fence + 1)
    running.start(Claim(again), PROCESS, spec_in(tmp_path) | shell("echo x >> begun"))
    running.keep_alive(time.monotonic() + 60)
    if is_stopped:
        running.stop(60.0)
    os.kill(server, signal.SIGKILL)
    (report,) = reports(running)
    assert report.ending is not None
    assert report.ending.status == ("handed_back" if is_stopped else "succeeded")
    assert (tmp_path / "begun").exists() is not is_stopped


def test_work_whose_supervisor_is_killed_after_it_has_begun_is_not_started_again(
    running: RunningAttempts, tmp_path: Path
) -> None:
    kills = shell("echo x >> begun; kill -9 $PPID; sleep 300")
    running.start(Claim(ATTEMPT), PROCESS, spec_in(tmp_path) | kills)
    (report,) = reports(running)
    assert report.ending is not None
    assert (report.ending.status, report.ending.explanation) == ("error", "its supervisor was killed")
    assert (tmp_path / "begun").read_text() == "x\n"
