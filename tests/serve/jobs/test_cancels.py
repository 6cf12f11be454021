"""What ends an attempt from outside: a cancel in each mode, a shutdown, and the limits of its process."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.serve.serving import Serving, is_alive, until

WORK = """
    work:
      executes:
        command: [sh, -c, '{trap}echo $$ > {pid}; until test -e {go}; do sleep 0.1; done; echo done > {done}']
"""


class Work:
    """A process `work` that runs until it is allowed to end."""

    def __init__(self, serving: Serving, trap: str = "") -> None:
        self._serving, self._pid = serving, serving.folder / "pid"
        self.go, self.done = serving.folder / "go", serving.folder / "done"
        serving.deploy(WORK.format(trap=trap, pid=self._pid, go=self.go, done=self.done))
        serving.run("launch", "work")

    def wait_running(self) -> None:
        """Wait until it runs and has set its traps."""
        until(lambda: self._pid.exists() and self._pid.read_text().endswith("\n"))

    def is_alive(self) -> bool:
        """Whether it runs."""
        return is_alive(int(self._pid.read_text()))

    def ends(self, state: str, status: str) -> None:
        """Wait for the states of job and attempt."""
        until(lambda: self._serving.job("work/!1") == state)
        assert self._serving.attempt("work/!1/1")["status"] == status
        until(lambda: not self.is_alive())


def test_a_drain_lets_the_attempt_end_by_itself(serving: Serving) -> None:
    work = Work(serving)
    with serving.served():
        work.wait_running()
        serving.run("job", "cancel", "work/!1", "--mode", "drain")
        assert serving.attempt("work/!1/1")["wish"] == "cancel"
        until(lambda: [row["attempt"] for row in serving.rows("attempt", "list", "--status", "canceling")])
        reason = serving.rows("job", "why", "work/!1")[0]["reason"]
        assert reason.startswith("attempt 1 is being cancelled (drain, "), reason
        assert "not seen" not in reason
        work.go.touch()
        work.ends("skipped", "canceled")
    assert work.done.exists(), "it was not stopped"


def test_a_step_asks_the_program_to_end(serving: Serving, tmp_path: Path) -> None:
    work = Work(serving, f'trap "echo bye > {tmp_path}/bye; exit" TERM; ')
    with serving.served():
        work.wait_running()
        serving.run("job", "cancel", "work/!1", "--mode", "step")
        work.ends("skipped", "canceled")
    assert (tmp_path / "bye").read_text() == "bye\n"


def test_a_kill_ends_a_program_that_does_not_listen_even_after_a_drain(serving: Serving) -> None:
    work = Work(serving, 'trap "" TERM; ')
    with serving.served():
        work.wait_running()
        serving.run("job", "cancel", "work/!1", "--mode", "drain")
        serving.run("job", "cancel", "work/!1", "--mode", "kill")
        work.ends("skipped", "canceled")


def test_a_second_ctrl_c_does_not_wait_for_a_program_that_does_not_listen(serving: Serving) -> None:
    work = Work(serving, 'trap "" TERM; ')
    with serving.served() as serve:
        work.wait_running()
        serve.send_signal(signal.SIGINT)
        until(lambda: [row["state"] for row in serving.rows("worker", "list")] == ["draining"])
        assert work.is_alive()
        serve.send_signal(signal.SIGINT)
        assert serve.wait(60) == 130
    assert not work.is_alive()
    attempt = serving.attempt("work/!1/1")
    assert (attempt["status"], attempt["worker"]) == ("waiting", None), "another worker runs it on"


@pytest.mark.parametrize(
    ("limit", "words"),
    [("queue: 1s", ("--no-work",)), ("heartbeat: 1s", ())],
    ids=["queue", "heartbeat"],
)
def test_a_limit_of_waiting_or_of_silence_ends_the_attempt(
    serving: Serving, limit: str, words: tuple[str, ...]
) -> None:
    serving.deploy(f"slow: {{executes: {{command: [sleep, '300']}}, timeout: {{{limit}}}}}")
    serving.run("launch", "slow")
    with serving.served(*words):
        until(lambda: serving.job("slow/!1") == "failed")
    attempt = serving.attempt("slow/!1/1")
    assert attempt["status"] == "error"
    assert attempt["explanation"].startswith(f"timeout.{limit.partition(':')[0]}")
    log = (serving.folder / "serve.log").read_text()
    assert "slow/!1/1 canceled" not in log
    assert ("slow/!1/1 error after" in log) is (not words)


def test_a_step_kills_what_is_left_after_the_time_that_the_project_sets(serving: Serving) -> None:
    serving.write("settings.yml", "settings: {cancel: {kill_after: 1s}}")
    work = Work(serving, 'trap "" TERM; ')
    with serving.served():
        work.wait_running()
        serving.run("job", "cancel", "work/!1", "--mode", "step")
        until(lambda: not work.is_alive(), 30)  # the default is a minute
        work.ends("skipped", "canceled")


def test_a_serve_whose_project_drains_waits_for_the_end_of_its_attempts(serving: Serving) -> None:
    serving.write("settings.yml", "settings: {cancel: {default_mode: drain, kill_after: 0s}}")
    work = Work(serving)
    with serving.served() as serve:
        work.wait_running()
        serve.send_signal(signal.SIGTERM)
        until(lambda: [row["state"] for row in serving.rows("worker", "list")] == ["draining"])
        assert work.is_alive()
        work.go.touch()
        assert serve.wait(60) == 143
    assert serving.attempt("work/!1/1")["status"] == "succeeded"
    assert work.done.exists()
    assert "SIGTERM: shutting down when the attempt that runs here has ended" in serving.read("serve.log")


def test_the_groups_and_the_places_of_a_serve_and_the_size_of_logs_are_those_of_the_project(
    serving: Serving,
) -> None:
    serving.write("settings.yml", "settings: {worker: {slots: 3, groups: [big]}, log: {limit: 2KiB}}")
    serving.deploy("""
        talker:
          executes: {command: [sh, -c, 'for n in $(seq 1000); do echo line $n; done']}
          groups: [big]
    """)
    serving.run("launch", "talker")
    serving.until_idle()
    (worker,) = serving.rows("worker", "list")
    assert (worker["capacity"], worker["groups"]) == (3.0, "big")
    log = serving.run("attempt", "log", "talker/!1/1")
    assert "bytes left out" in log
    assert len(log) < 3000
    assert log.startswith("line 1\n")
    assert log.endswith("line 1000\n")
    serving.until_idle("--slots", "1", "--groups", "default,small")
    (worker,) = serving.rows("worker", "list")
    assert (worker["capacity"], worker["groups"]) == (1.0, "default,small"), "options go before settings"
