"""A runner claims, runs and reports the attempts of one worker, and hands back what it cannot end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from scoopi.errors import BusyRecordError, RecordError
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.scheduler.decisions import changed
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work import attempt_runner
from scoopi.serve.work.attempt_environment import AttemptEnvironment
from scoopi.serve.work.attempt_runner import AttemptRunner
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.schedule.record_keys import record_key
from tests.serve.conftest import NOW, Deployed
from tests.serve.serving import until

FAR = 1e12


@pytest.fixture
def state(deployed: Deployed) -> State:
    """A job of `p` that is placed on the worker `w`."""
    state = deployed("processes: {p: {executes: {command: [sh, -c, 'test -z \"$LONG\" || sleep 300']}}}")
    WorkerRegistry(state.store).put("w", ("default",), 1, is_external=False)
    ProcessService(state, NOW).launch("p", {})
    state.passes.run(NOW)
    return state


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def shown() -> list[dict[str, object]]:
    """The contents of the lines, as fields."""
    return []


@pytest.fixture
def runner(
    state: State,
    tmp_path: Path,
    lines: list[str],
    shown: list[dict[str, object]],
    environ: dict[str, str],
) -> Iterator[AttemptRunner]:
    wake_up = WakeUp(state.folder, "w")
    environment = AttemptEnvironment(state.folder / "work", state.folder, tmp_path, {}, environ)

    def notify(line: str, /, **fields: object) -> None:
        lines.append(line)
        shown.append(fields)

    made = AttemptRunner(state, environment, "w", wake_up, notify, ServeHealth())
    yield made
    made.close()
    wake_up.close()


@pytest.fixture
def environ(request: pytest.FixtureRequest) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LONG": request.param}


def status(state: State) -> list[str]:
    return [each.status for each in state.store.attempts_of("p/!1")]


@pytest.mark.parametrize("environ", [""], indirect=True)
def test_an_attempt_that_is_placed_here_is_run_and_its_end_is_reported(
    state: State, runner: AttemptRunner, lines: list[str], shown: list[dict[str, object]]
) -> None:
    settings = state.current()[1].settings
    assert not runner.claim(0, settings, FAR)
    assert runner.claim(1, settings, FAR)

    def is_over() -> bool:
        runner.wait(0.1)
        runner.report()
        return runner.is_idle

    until(is_over)
    assert (status(state), lines[0]) == (["succeeded"], "p/!1/1 started")
    of = {"attempt": "p/!1/1", "node": 1}
    seconds = shown[1].pop("seconds")
    assert isinstance(seconds, float)
    assert seconds >= 0
    assert shown == [
        {"event": "started", **of},
        {"event": "ended", **of, "status": "succeeded", "reason": None},
    ]


@pytest.mark.parametrize("environ", ["yes"], indirect=True)
def test_what_runs_when_it_is_closed_is_offered_again(
    state: State, runner: AttemptRunner, shown: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.claim(1, state.current()[1].settings, FAR)
    assert (len(runner), status(state)) == (1, ["running"])
    started = state.store.attempts_of("p/!1")[0].started
    assert started is not None
    monkeypatch.setattr(attempt_runner, "now_utc", lambda: started + timedelta(seconds=9))
    runner.close()
    assert status(state) == ["waiting"]
    assert (shown[-1]["status"], shown[-1]["seconds"]) == ("handed_back", 9.0)


@pytest.mark.parametrize("environ", ["yes"], indirect=True)
@pytest.mark.parametrize("mode", ["drain", "kill"])
def test_a_cancel_that_has_arrived_shows_as_canceling(
    state: State, runner: AttemptRunner, lines: list[str], shown: list[dict[str, object]], mode: str
) -> None:
    settings = state.current()[1].settings
    runner.claim(1, settings, FAR)
    runner.poll(settings)
    JobService(state, NOW, str).cancel("p/!1", mode)
    assert status(state) == ["running"]
    runner.poll(settings)
    (seen,) = state.store.attempts_of("p/!1")
    assert (seen.status, seen.wish_mode) == ("canceling", mode)
    runner.poll(settings)
    assert state.store.attempts_of("p/!1") == [seen], "it is written once"
    JobService(state, NOW, str).cancel("p/!1", "kill")
    runner.poll(settings)

    def is_over() -> bool:
        runner.wait(0.1)
        runner.report()
        return runner.is_idle

    until(is_over)
    assert status(state) == ["canceled"]
    assert lines[-1].startswith("p/!1/1 canceled after ")
    assert lines[-1].endswith(" s: cancelled by hand")
    assert shown[-1]["reason"] == "cancelled by hand"


@pytest.mark.parametrize("environ", ["yes"], indirect=True)
def test_the_cancel_of_an_attempt_that_another_worker_has_is_not_noted(
    state: State, runner: AttemptRunner
) -> None:
    settings = state.current()[1].settings
    runner.claim(1, settings, FAR)
    (old,) = state.store.attempts_of("p/!1")
    state.store.write(old, changed(old, fence=9, worker="other", wish="cancel", wish_mode="step"))
    runner.poll(settings)
    assert status(state) == ["running"]


@pytest.mark.parametrize("environ", [""], indirect=True)
def test_what_a_former_process_of_the_name_ran_is_offered_again(state: State, runner: AttemptRunner) -> None:
    AttemptClaims(state.store).claim("w", NOW)
    assert status(state) == ["running"]
    runner.take_over()
    assert status(state) == ["waiting"]


@pytest.mark.parametrize("environ", [""], indirect=True)
def test_an_end_whose_record_keeps_changing_holds_up_no_other_and_is_written_later(
    state: State, runner: AttemptRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    WorkerRegistry(state.store).put("w", ("default",), 2, is_external=False)
    ProcessService(state, NOW).launch("p", {})
    state.passes.run(NOW)
    settings = state.current()[1].settings
    assert runner.claim(2, settings, FAR)
    update = state.store.update
    first = record_key(state.store.attempts_of("p/!1")[0])

    def busy(kind: Any, key: str, change: Any) -> Any:
        if kind is AttemptRecord and key == first:
            raise BusyRecordError("it keeps changing")
        return update(kind, key, change)

    def reported() -> list[str]:
        runner.wait(0.1)
        runner.report()
        return [state.store.attempts_of(f"p/!{number}")[0].status for number in (1, 2)]

    monkeypatch.setattr(state.store, "update", busy)
    until(lambda: reported()[1] == "succeeded" and len(runner) == 0)
    assert reported() == ["running", "succeeded"]
    assert not runner.is_idle
    monkeypatch.setattr(state.store, "update", update)
    until(lambda: reported() == ["succeeded", "succeeded"])
    assert runner.is_idle


@pytest.mark.parametrize("environ", [""], indirect=True)
def test_an_attempt_that_cannot_start_is_ended_later_if_its_record_keeps_changing(
    state: State, runner: AttemptRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*given: object) -> None:
        raise BusyRecordError("it keeps changing")

    def missing(*given: object) -> None:
        raise OSError("no project")

    monkeypatch.setattr(state, "project", missing)
    with monkeypatch.context() as patched:
        patched.setattr(state.store, "update", busy)
        assert runner.claim(1, state.current()[1].settings, FAR)
        assert not runner.report()
        assert status(state) == ["running"]
    assert runner.report()
    assert status(state) == ["error"]


@pytest.mark.parametrize("environ", [""], indirect=True)
@pytest.mark.parametrize("damage", ["part", "record", "missing"])
def test_an_attempt_whose_bundle_is_damaged_or_missing_ends_with_a_hint_and_stops_nothing_else(
    state: State, runner: AttemptRunner, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (attempt,) = state.store.attempts_of("p/!1")
    rmtree(state.folder / "bundles")
    if damage == "part":
        state.store.put_bundle(attempt.bundle, b"damaged", NOW, 2**20)
    elif damage == "missing":
        assert state.store.remove_bundle(attempt.bundle, NOW)
    else:
        monkeypatch.setattr(state.store, "bundle", unreadable)
    assert runner.claim(1, state.current()[1].settings, FAR)
    assert runner.report()
    assert runner.is_idle
    (ended,) = state.store.attempts_of("p/!1")
    is_how = "is not in the store" if damage == "missing" else "in the store is damaged"
    assert ended.status == "error"
    assert ended.explanation == f"bundle {attempt.bundle} {is_how}; deploy the project again"


def unreadable(name: str) -> bytes:
    raise RecordError(f"bundle: the record {name}/0000 is not readable")
