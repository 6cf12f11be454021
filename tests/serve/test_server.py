"""`scoopi serve` runs what passes place on it, and nothing of it outlives it."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from scoopi.errors import StoreError
from scoopi.model.schedule.schedule_records import STATE_FORMAT, AttemptRecord
from scoopi.serve import state as state_module
from scoopi.serve.background_work import BackgroundWork
from scoopi.serve.clock import now_utc
from scoopi.serve.serve_options import ServeOptions
from scoopi.serve.server import Server
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.work.attempt_environment import AttemptEnvironment
from scoopi.serve.work.attempt_runner import AttemptRunner
from scoopi.serve.workers import worker_heartbeat
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.call_timeout import CallTimeout
from scoopi.store.ports import Store
from scoopi.store.schedule.record_keys import ScheduleRecord
from scoopi.store.schedule.schedule_store import SCHEDULE_MAPS, ScheduleStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock
from tests.serve.conftest import Deployed
from tests.serve.serving import Serving, is_alive, until

SLEEPER = "sleeper: {executes: {command: [sh, -c, 'sleep 300 & echo $! >> $0; wait', %s]}}"


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.exists() else []


@pytest.fixture
def sleeping(serving: Serving) -> Path:
    """A deployed process `sleeper` that writes the process id of its child to a file."""
    file = serving.folder / "pids"
    serving.deploy(SLEEPER % file)
    serving.run("launch", "sleeper")
    return file


def test_a_launched_command_succeeds_with_the_outputs_of_its_last_line(serving: Serving) -> None:
    serving.deploy("""
        hello: {executes: {command: [sh, -c, 'echo begin; echo "{\\"day\\": \\"$0\\"}"', '${ slot.key }']}}
    """)
    serving.run("launch", "hello")
    serving.until_idle()
    attempt = serving.attempt("hello/!1/1")
    assert (attempt["status"], attempt["outputs"]) == ("succeeded", {"day": "!1"})
    assert serving.job("hello/!1") == "processed"


def test_a_serve_logs_json_with_the_contents_of_each_line_as_fields(serving: Serving) -> None:
    serving.deploy("fails: {executes: {command: [sh, -c, 'exit 3']}}")
    serving.run("launch", "fails")
    with serving.served("--until-idle", "--json", "--name", "w1") as serve:
        assert serve.wait(60) == 0
    lines = [json.loads(line) for line in serving.read("serve.log").splitlines()]
    assert all([*line][:4] == ["time", "level", "logger", "message"] for line in lines)
    serving_line, started, ended = lines
    assert (serving_line["event"], serving_line["worker"]) == ("serving", "w1")
    of = {"attempt": "fails/!1/1", "node": 1}
    assert {**started, "event": "started", **of} == started
    assert {**ended, "event": "ended", "status": "failed", "reason": "exit code 3", **of} == ended


def test_a_serve_of_another_group_leaves_an_attempt_to_one_that_has_its_group(serving: Serving) -> None:
    serving.deploy("""
        big: {executes: {command: ["true"]}, groups: [big]}
    """)
    serving.run("launch", "big")
    said = serving.errors("serve", "--until-idle", code=1)
    assert "big/!1 is left: no live worker in group big; live workers have default; scoopi job why" in said
    assert serving.attempt("big/!1/1")["status"] == "pending"
    serving.until_idle("--groups", "default,big")
    assert serving.job("big/!1") == "processed"


def test_a_serve_until_idle_waits_for_a_retry_to_come(serving: Serving) -> None:
    seen = serving.folder / "seen"
    serving.deploy(f"""
        flaky:
          executes: {{command: [sh, -c, 'test -e {seen} || {{ touch {seen}; exit 1; }}']}}
          retry: {{max: 2, delay: 1s}}
        doomed:
          executes: {{command: ["false"]}}
          retry: {{max: 1, delay: 1s, on_exhausted: hold}}
    """)
    serving.run("launch", "flaky")
    serving.run("launch", "doomed")
    serving.until_idle()
    states = {row["attempt"]: row["status"] for row in serving.rows("attempt", "list")}
    assert serving.job("flaky/!1") == "processed"
    assert serving.job("doomed/!1") != "processed", f"it is on hold, which no serve waits for: {states}"


def test_a_job_follows_another_with_its_outputs_in_the_same_serve(serving: Serving) -> None:
    serving.write(
        "actions.py",
        """
        def first(context):
            return {"rows": 7, "slot": context.slot.key}

        def second(rows, before):
            return {"sum": int(rows) + 1, "before": before}
        """,
    )
    serving.deploy("""
        first: {executes: "python:actions:first"}
        second:
          executes: "python:actions:second"
          trigger: {after: first}
          inputs: {rows: '${ trigger.outputs.rows }', before: '${ trigger.job }'}
    """)
    serving.run("launch", "first")
    serving.until_idle()
    assert serving.attempt("second/!1/1")["outputs"] == {"sum": 8, "before": "first/!1"}


def test_an_attempt_keeps_the_definitions_with_which_it_was_created(serving: Serving) -> None:
    hello = 'hello: {executes: {command: [printf, \'{"day": "%s"}\']}}'
    serving.deploy(hello % "first")
    serving.run("launch", "hello")
    serving.run("tick")
    serving.deploy(hello % "second")
    serving.run("launch", "hello")
    serving.until_idle()
    assert serving.attempt("hello/!1/1")["outputs"] == {"day": "first"}
    assert serving.attempt("hello/!2/1")["outputs"] == {"day": "second"}


def test_a_damaged_bundle_ends_the_attempts_that_need_it_and_not_the_serve(serving: Serving) -> None:
    hello = "hello: {executes: {command: [printf, %s]}}"
    serving.deploy(hello % "first")
    serving.run("launch", "hello")
    serving.run("tick")
    with State(serving.folder / "scheduler") as state:
        damaged = state.current()[0]
        state.store.put_bundle(damaged, b"damaged", now_utc(), 2**20)
    rmtree(serving.folder / "scheduler/bundles")
    serving.deploy(hello % "second")
    serving.run("launch", "hello")
    serving.until_idle()
    first = serving.attempt("hello/!1/1")
    assert (first["status"], first["bundle"]) == ("error", damaged)
    assert first["explanation"] == f"bundle {damaged} in the store is damaged; deploy the project again"
    assert serving.attempt("hello/!2/1")["status"] == "succeeded"


def test_a_serve_that_starts_finishes_publications_that_a_crash_has_interrupted(serving: Serving) -> None:
    serving.run("new", "jobs/books")
    serving.deploy("books: {executes: 'scrape:books', keep_former: 1}")
    output = serving.folder / "output/books"
    for name in ("!1", "!1.new", "!2.new"):
        (output / name).mkdir(parents=True)
        (output / name / "data.txt").write_text(name)
    serving.until_idle()
    found = {path.name: (path / "data.txt").read_text() for path in output.iterdir()}
    assert found == {"!1": "!1.new", "!1~1": "!1", "!2": "!2.new"}


def test_a_launch_wakes_a_serve_that_waits(serving: Serving) -> None:
    serving.deploy("hello: {executes: {command: ['true']}}")
    with serving.served() as serve:
        until(lambda: serving.rows("worker", "list"))
        serving.run("launch", "hello")
        until(lambda: serving.job("hello/!1") == "processed")
        serve.send_signal(signal.SIGTERM)
        assert serve.wait(60) == 143
    assert [row["state"] for row in serving.rows("worker", "list")] == ["stopped"]


def test_why_says_that_the_serve_of_an_attempt_was_killed_though_nobody_counts_heartbeats(
    serving: Serving,
) -> None:
    serving.deploy("sleeper: {executes: {command: [sleep, '60']}}")
    serving.run("launch", "sleeper")
    with serving.served("--slots", "1") as serve:
        until(lambda: any(row["status"] == "running" for row in serving.rows("attempt", "list")))
        (before,) = serving.rows("job", "why", "sleeper/!1")
        serve.kill()
        serve.wait(60)
    (why,) = serving.rows("job", "why", "sleeper/!1")
    assert (before["answer"], why["answer"]) == ("runs", "wait")
    assert why["reason"] == f"{before['reason']}, whose serve has ended without handing it back"
    assert why["hint"] == "start scoopi serve, which continues it"
    assert [row["state"] for row in serving.rows("worker", "list")] == ["lost"]
    serving.run("launch", "sleeper")
    (why,) = serving.rows("job", "why", "sleeper/!2")
    assert "no worker is live" in why["reason"]
    serving.run("tick")
    (why,) = serving.rows("job", "why", "sleeper/!2")
    assert (why["gate"], why["hint"]) == ("worker", "start scoopi serve")


def test_a_cancelled_command_is_stopped_with_all_its_children(serving: Serving, sleeping: Path) -> None:
    with serving.served():
        until(lambda: pids(sleeping))
        serving.run("job", "cancel", "sleeper/!1")
        until(lambda: serving.job("sleeper/!1") == "skipped")
        assert serving.attempt("sleeper/!1/1")["status"] == "canceled"
        until(lambda: not any(map(is_alive, pids(sleeping))))


def test_nothing_of_a_serve_that_is_killed_survives(serving: Serving, sleeping: Path) -> None:
    with serving.served() as serve:
        until(lambda: pids(sleeping))
        serve.kill()
        until(lambda: not any(map(is_alive, pids(sleeping))))


def test_a_killed_serve_that_is_started_again_begins_its_attempts_at_once(
    serving: Serving, sleeping: Path
) -> None:
    with serving.served() as serve:
        until(lambda: pids(sleeping))
        serve.kill()
        serve.wait()
    with serving.served():
        until(lambda: len(pids(sleeping)) == 2)
        attempt = serving.attempt("sleeper/!1/1")
        assert (attempt["status"], attempt["fence"]) == ("running", 2)


def test_a_serve_that_shuts_down_hands_its_attempts_back(serving: Serving, sleeping: Path) -> None:
    with serving.served() as serve:
        until(lambda: pids(sleeping))
        serve.send_signal(signal.SIGINT)
        assert serve.wait(60) == 130
    said = "SIGINT: stopping 1 attempt within 1m, to be continued by the next worker, press Ctrl-C again"
    assert said in serving.read("serve.log")
    attempt = serving.attempt("sleeper/!1/1")
    assert (attempt["status"], attempt["worker"], attempt["fence"]) == ("waiting", None, 1)
    assert not any(map(is_alive, pids(sleeping)))


def test_a_serve_that_shuts_down_stops_its_attempts_although_its_store_does_not_answer(
    serving: Serving,
) -> None:
    stopped = serving.folder / "stopped"
    traps = f"trap 'touch {stopped}; exit' TERM; touch {stopped}.not; while :; do sleep 0.1; done"
    serving.write("jobs.yml", f'processes: {{long: {{executes: {{command: [sh, -c, "{traps}"]}}}}}}')
    serving.run("deploy", "jobs")
    serving.run("launch", "long")
    with serving.served() as serve:
        until(stopped.with_suffix(".not").exists)
        with closing(sqlite3.connect(serving.folder / "scheduler/state.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            serve.send_signal(signal.SIGTERM)
            until(stopped.exists)
        assert serve.wait(60) == 143


def test_the_attempts_of_a_lost_worker_run_on_another_one(serving: Serving, sleeping: Path) -> None:
    with serving.served("--name", "one") as one:
        until(lambda: pids(sleeping))
        with serving.served("--name", "two"):
            until(lambda: len(serving.rows("worker", "list")) == 2)
            one.kill()
            until(lambda: len(pids(sleeping)) == 2)
            attempt = serving.attempt("sleeper/!1/1")
            assert (attempt["worker"], attempt["fence"]) == ("two", 2)
            assert [is_alive(pid) for pid in pids(sleeping)] == [False, True]


def test_the_work_of_a_serve_that_hangs_ends_before_another_worker_begins(
    serving: Serving, sleeping: Path
) -> None:
    with serving.served("--name", "one") as one:
        until(lambda: pids(sleeping))
        with serving.served("--name", "two"):
            until(lambda: len(serving.rows("worker", "list")) == 2)
            one.send_signal(signal.SIGSTOP)
            until(lambda: len(pids(sleeping)) == 2)
            assert not is_alive(pids(sleeping)[0])
            one.send_signal(signal.SIGCONT)
            until(lambda: {row["state"] for row in serving.rows("worker", "list")} == {"running"})
            assert is_alive(pids(sleeping)[1])
            assert serving.attempt("sleeper/!1/1")["fence"] == 2


def test_two_serves_have_two_names(serving: Serving) -> None:
    serving.deploy("hello: {executes: {command: ['true']}}")
    with serving.served(), serving.served():
        until(lambda: len(serving.rows("worker", "list")) == 2)
        first, second = sorted(row["worker"] for row in serving.rows("worker", "list"))
        assert second == f"{first}-2"
        serving.run("serve", "--name", first, code=2)


def test_a_serve_without_work_only_schedules_and_one_without_schedule_only_works(serving: Serving) -> None:
    serving.deploy("hello: {executes: {command: ['true']}}")
    serving.run("launch", "hello")
    serving.until_idle("--no-work")
    assert serving.attempt("hello/!1/1")["status"] == "pending"
    with serving.served("--no-schedule"):
        until(lambda: serving.rows("worker", "list"))
        serving.run("tick")
        until(lambda: serving.attempt("hello/!1/1")["status"] == "succeeded")
        assert serving.job("hello/!1") == "in_progress"


def test_an_input_with_an_unknown_name_ends_the_attempt_with_the_place(serving: Serving) -> None:
    inputs = "{day: '${ trigger.outputs.day }'}"
    serving.deploy(f"""
        first: {{executes: {{command: ['true']}}}}
        hello: {{executes: {{command: ['true']}}, trigger: {{after: first}}, inputs: {inputs}}}
        """)
    serving.run("launch", "hello")
    serving.until_idle()
    attempt = serving.attempt("hello/!1/1")
    assert attempt["status"] == "error"
    expected = "inputs.day: unknown name 'trigger.outputs.day'; known: slot.end, slot.key, slot.start"
    assert expected in attempt["explanation"]
    assert attempt["explanation"].startswith("jobs.yml:5:"), "a file of the project, not of its bundle"


def test_a_timeout_of_the_run_ends_the_attempt_as_an_error(serving: Serving) -> None:
    serving.deploy("slow: {executes: {command: [sleep, '300']}, timeout: {run: 1s}}")
    serving.run("launch", "slow")
    with serving.served():
        until(lambda: serving.job("slow/!1") == "failed")
    attempt = serving.attempt("slow/!1/1")
    assert attempt["status"] == "error"
    assert attempt["explanation"].startswith("timeout.run")


def test_a_launch_waits_for_the_end_and_its_exit_code_is_that_of_the_work(serving: Serving) -> None:
    serving.deploy("""
        good: {executes: {command: [sh, -c, 'echo "{\\"rows\\": 3}"']}}
        bad: {executes: {command: ['false']}}
    """)
    with serving.served():
        (row,) = serving.rows("launch", "good", "--wait")
        assert (row["job"], row["state"], row["outputs"]) == ("good/!1", "processed", {"rows": 3})
        assert "failed" in serving.run("launch", "bad", "--wait", code=1)
        assert "launched bad/!2, waiting for its end" in serving.errors("launch", "bad", "--wait", code=1)


def test_the_log_of_an_attempt_is_printed_and_followed_to_its_end(serving: Serving) -> None:
    serving.deploy(
        "talker: {executes: {command: [sh, -c, 'for n in 1 2 3; do echo line $n; sleep 0.3; done']}}"
    )
    serving.run("launch", "talker")
    with serving.served():
        until(lambda: serving.rows("attempt", "list", "--job", "talker/!1"))
        assert serving.run("attempt", "log", "talker/!1/1", "-f") == "line 1\nline 2\nline 3\n"
    assert serving.run("attempt", "log", "talker/!1/1") == "line 1\nline 2\nline 3\n"
    lines = [{"attempt": "talker/!1/1", "node": 1, "line": f"line {number}"} for number in (1, 2, 3)]
    assert serving.rows("attempt", "log", "talker/!1/1") == lines


def test_the_lines_of_a_log_are_whole_objects_however_they_were_written(serving: Serving) -> None:
    parts = 'printf on; sleep 0.5; printf "e\\ntw"; sleep 0.5; printf o'
    serving.deploy(f"parts: {{executes: {{command: [sh, -c, '{parts}']}}}}")
    serving.run("launch", "parts")
    with serving.served():
        until(lambda: serving.rows("attempt", "list", "--job", "parts/!1"))
        rows = serving.rows("attempt", "log", "parts/!1/1", "-f")
    assert [row["line"] for row in rows] == ["one", "two"]


def test_failures_are_sent_by_a_command_and_by_a_function_of_the_project(serving: Serving) -> None:
    into = f"Path(r'{serving.folder}/noted').write_text(message['text'])"
    serving.write("alerts.py", f"from pathlib import Path\ndef note(message): {into}")
    serving.deploy(f"""
        hello:
          executes: {{command: [sh, -c, 'exit 7']}}
          notify:
            - {{when: [failed], via: [sh, -c, 'cat > {serving.folder}/mailed']}}
            - {{when: [failed, succeeded], via: "python:alerts:note"}}
    """)
    serving.run("launch", "hello")
    serving.until_idle()
    (event,) = json.loads(serving.read("mailed"))["events"]
    assert event["reason"] == "exit code 7"
    assert serving.read("noted") == "hello/!1/1: failed: exit code 7"


def test_a_serve_ends_when_a_newer_scoopi_has_changed_the_records(serving: Serving, sleeping: Path) -> None:
    with serving.served() as serve:
        until(lambda: pids(sleeping))
        with State(serving.folder / "scheduler") as state:
            state.store.change_scheduler(lambda record: replace(record, state_format=STATE_FORMAT + 1))
        assert serve.wait(60) == 5
    assert "a newer Scoopi has changed the records to format 2" in serving.read("serve.log")
    assert not any(map(is_alive, pids(sleeping)))


def test_what_cannot_be_planned_stops_nothing_else_and_is_reported_at_the_end(serving: Serving) -> None:
    serving.deploy("""
        broken: {executes: {command: ["true"]}, trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}
        late: {executes: {command: ["true"]}, trigger: {every: 24h, jitter: 4h}}
        sound: {executes: {command: ["true"]}, retry: {max: 1, delay: 1s}}
    """)
    serving.run("launch", "late", "--slot", "@9999-12-31T23:59:59Z")
    serving.run("launch", "sound")
    said = serving.errors("serve", "--until-idle", code=1)
    assert serving.job("sound/!1") == "processed"
    assert said.count("error the slots of broken cannot be planned: OverflowError") == 1
    assert said.count("error late/@9999-12-31T23:59:59Z cannot be planned") == 1
    assert "not planned: broken, late; scoopi process show says why" in said
    serving.run("tick", code=1)


def test_outputs_that_no_store_can_keep_end_the_attempt_and_not_the_serve(serving: Serving) -> None:
    serving.write("actions.py", "def half():\n    return {'text': '\\ud800'}\n")
    serving.deploy("""
        printed: {executes: {command: [printf, '{"text": "\\\\ud800"}\\n']}}
        returned: {executes: "python:actions:half"}
        deep: {executes: {command: [sh, -c, 'printf "{\\"a\\": "; printf "[%.0s" $(seq 5000)']}}
        sound: {executes: {command: ["true"]}}
    """)
    for name in ("printed", "returned", "deep", "sound"):
        serving.run("launch", name)
    serving.until_idle()
    for name in ("printed/!1/1", "returned/!1/1"):
        attempt = serving.attempt(name)
        assert attempt["status"] == "error"
        assert attempt["explanation"].startswith("what it reported is not kept: a value cannot be stored")
    assert serving.attempt("deep/!1/1")["status"] == "succeeded", "its last line is not JSON"
    assert serving.job("sound/!1") == "processed"


def test_a_serve_sends_heartbeats_during_a_long_pass(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed("settings: {liveness: {beat: 1s}}\nprocesses: {p: {executes: external:x, mode: manual}}")
    environment = AttemptEnvironment(tmp_path / "work", state.folder, tmp_path, {}, {})
    with Server(state, ServeOptions(name="w"), environment, 1, lambda *_, **fields: None) as server:
        lengths: list[float] = []

        def long(now: datetime, meanwhile: Callable[[], object], most_s: float) -> list[object]:
            assert state.store.scheduler().holder == ""
            before = state.store.workers()["w"].version
            until(lambda: meanwhile() or state.store.workers()["w"].version > before)
            lengths.append(most_s)
            server.cancel(hard=True)
            return []

        monkeypatch.setattr(state.passes, "run", long)
        server.run()
    assert lengths == [1.0], "a pass holds up the attempts of its serve no longer than a heartbeat"


def test_a_serve_whose_store_fails_while_it_begins_begins_again(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state = deployed("processes: {p: {executes: external:x, mode: manual}}")
    scan, fails = state.store.open_attempts, [True]

    def failing() -> Sequence[AttemptRecord]:
        if fails.pop() if fails else False:
            raise StoreError("the store is away")
        return scan()

    monkeypatch.setattr(state.store, "open_attempts", failing)
    options = ServeOptions(name="w", until_idle=True)
    environment = AttemptEnvironment(tmp_path / "work", state.folder, tmp_path, {}, {})
    with Server(state, options, environment, 1, lambda *_, **fields: None) as server:
        server.run()
    assert not fails
    said = [record.getMessage() for record in caplog.records]
    assert "the store does not answer, trying again: the store is away" in said[0]
    assert said[1].startswith("the store answers again after ")


@pytest.mark.parametrize("is_away", [False, True])
def test_a_serve_that_cannot_sign_off_does_not_wait_for_its_store_once_more(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_away: bool
) -> None:
    state = deployed("processes: {p: {executes: external:x, mode: manual}}")
    asked: list[str] = []

    def away(*_: object, **fields: object) -> None:
        asked.append("sign off")
        raise StoreError("the store is away")

    if is_away:
        monkeypatch.setattr(WorkerRegistry, "change", away)
    monkeypatch.setattr(state.store, "signal", lambda: asked.append("wake the others"))
    environment = AttemptEnvironment(tmp_path / "work", state.folder, tmp_path, {}, {})
    with Server(state, ServeOptions(name="w"), environment, 1, lambda *_, **fields: None):
        asked.clear()
    state.is_shared = True
    monkeypatch.setattr(state, "ask_for_pass", lambda: asked.append("ask for a pass"))
    state.__exit__()
    assert asked == (["sign off"] if is_away else ["wake the others", "ask for a pass", "wake the others"])


def test_a_serve_sends_heartbeats_between_the_steps_of_a_slow_turn(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed("settings: {liveness: {beat: 2s}}\nprocesses: {p: {executes: external:x, mode: manual}}")
    clock, beats = [0.0], []
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    environment = AttemptEnvironment(tmp_path / "work", state.folder, tmp_path, {}, {})
    with Server(state, ServeOptions(name="w"), environment, 1, lambda *_, **fields: None) as server:

        def slow(*_: object, **fields: object) -> None:
            clock[0] += 1.5

        def last(*_: object) -> None:
            server.cancel(hard=True)

        monkeypatch.setattr(state.passes, "run", slow)
        monkeypatch.setattr(AttemptRunner, "poll", slow)
        monkeypatch.setattr(AttemptRunner, "claim", slow)
        monkeypatch.setattr(BackgroundWork, "turn", last)
        monkeypatch.setattr(WorkerRegistry, "beat", lambda *_: beats.append(clock[0]))
        server.run()
    assert beats == [0.0, 1.5, 3.0, 4.5]


class Freezing:
    """A store that can be frozen: then each call waits, by its own clock, for an answer that never comes."""

    def __init__(self, inner: SqliteStore) -> None:
        self._inner = inner
        self.clock = Clock()
        self.timeout = CallTimeout(15.0, clock=self.clock)
        self.calls_until_thaw = 0
        self.scan_s = 0.0

    def __getattr__(self, name: str) -> Callable[..., object]:
        call: Callable[..., object] = getattr(self._inner, name)

        def answer(*words: object) -> object:
            if self.calls_until_thaw > 0 and name != "close":
                self.calls_until_thaw -= 1
                self.timeout.wait(self._waits)
                raise StoreError("the store does not answer")
            self.timeout.answered()
            if name == "scan":
                self.clock.pass_s(self.scan_s)
            return call(*words)

        return answer

    def _waits(self, seconds: float) -> bool:
        self.clock.pass_s(seconds)
        return False


@pytest.fixture
def freezing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Freezing:
    """The store of each state that is opened from now on."""
    (tmp_path / "scheduler").mkdir()
    store = Freezing(SqliteStore(tmp_path / "scheduler" / "state.db", maps=SCHEDULE_MAPS))
    opened = ScheduleStore(cast(Store, store), limit_waits=store.timeout.limit_waits)
    monkeypatch.setattr(state_module, "open_schedule_store", lambda *_: opened)
    return store


def served(state: State, folder: Path, notify: Callable[..., object], *, until_idle: bool = False) -> Server:
    environment = AttemptEnvironment(folder / "work", state.folder, folder, {}, {})
    return Server(state, ServeOptions(name="w", until_idle=until_idle), environment, 1, notify)


def test_a_serve_whose_store_never_answers_again_ends_soon_and_its_work_is_continued(
    freezing: Freezing, deployed: Deployed, tmp_path: Path
) -> None:
    sleeps = "echo $$ >> $0/pids; test -e $0/again || exec sleep 300"
    state = deployed(f"processes: {{p: {{executes: {{command: [sh, -c, '{sleeps}', {tmp_path}]}}}}}}")
    ProcessService(state, now_utc()).launch("p", {})

    def freeze(line: str, *, event: str, **fields: object) -> None:
        if event == "started":
            until(lambda: pids(tmp_path / "pids"))
            freezing.calls_until_thaw = 1_000_000
            server.cancel()

    with served(state, tmp_path, freeze) as server:
        began = freezing.clock.now
        server.run()
    assert freezing.clock.now - began < 10
    assert not any(map(is_alive, pids(tmp_path / "pids")))
    freezing.calls_until_thaw = 0
    (tmp_path / "again").touch()
    with served(state, tmp_path, lambda *_, **fields: None, until_idle=True) as server:
        server.run()
    (attempt,) = state.store.attempts_of("p/!1")
    assert (attempt.status, len(pids(tmp_path / "pids"))) == ("succeeded", 2)


def test_the_end_of_an_attempt_is_written_in_a_shutdown_though_the_store_fails_at_first(
    freezing: Freezing, deployed: Deployed, tmp_path: Path
) -> None:
    state = deployed("""
        settings: {cancel: {default_mode: drain}}
        processes: {p: {executes: {command: ["true"]}}}
    """)
    ProcessService(state, now_utc()).launch("p", {})

    def fail(line: str, *, event: str, **fields: object) -> None:
        if event == "started":
            freezing.calls_until_thaw = 3
            server.cancel()

    with served(state, tmp_path, fail) as server:
        server.run()
    (attempt,) = state.store.attempts_of("p/!1")
    assert attempt.status == "succeeded"


def test_a_serve_reads_the_attempts_for_a_claim_only_when_its_pass_has_not_just_read_them(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed("""
        settings: {liveness: {beat: 1s}}
        processes: {p: {executes: {command: ["true"]}}}
    """)
    ProcessService(state, now_utc()).launch("p", {})
    claim, given, started = AttemptRunner.claim, [], []

    def claimed(runner: AttemptRunner, *words: Any) -> bool:
        given.append(words[-1] is not None)
        if not given[-1]:
            server.cancel()
        return claim(runner, *words)

    monkeypatch.setattr(AttemptRunner, "claim", claimed)
    with served(state, tmp_path, lambda line, **fields: started.append(line)) as server:
        server.run()
    assert given[0], "after the pass that has placed the attempt"
    assert started[0] == "p/!1/1 started"
    assert not given[-1], "after a heartbeat without a pass"


def test_a_serve_sends_heartbeats_between_the_slow_scans_of_a_pass(
    freezing: Freezing, deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed("settings: {liveness: {beat: 2s}}\nprocesses: {p: {executes: external:x, mode: manual}}")
    clock = freezing.clock
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=clock))
    beats: list[float] = []
    freezing.scan_s = 0.6
    with served(state, tmp_path, lambda *_, **fields: None) as server:
        monkeypatch.setattr(WorkerRegistry, "beat", lambda *_: beats.append(clock.now))
        monkeypatch.setattr(AttemptRunner, "poll", lambda *_: server.cancel(hard=True))
        server.run()
    assert [round(each - beats[0], 1) for each in beats[:3]] == [0.0, 1.2, 2.4], "after two scans each"


def test_an_attempt_whose_claim_got_no_answer_is_run_before_a_serve_until_idle_ends(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed("processes: {p: {executes: {command: ['true']}}}")
    ProcessService(state, now_utc()).launch("p", {})
    write, fails = state.store.write, [True]

    def unanswered(old: ScheduleRecord | None, new: ScheduleRecord) -> bool:
        is_written = write(old, new)
        if isinstance(new, AttemptRecord) and new.status == "running" and fails.pop() if fails else False:
            raise StoreError("no answer in time")
        return is_written

    monkeypatch.setattr(state.store, "write", unanswered)
    with served(state, tmp_path, lambda *_, **fields: None, until_idle=True) as server:
        server.run()
    assert not fails
    assert [each.status for each in state.store.attempts_of("p/!1")] == ["succeeded"]
