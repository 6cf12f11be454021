"""MemberProcess: what the log of a process means, and that the process ends with the one that started it.

A shell script stands where Java is looked for, so that each log and each end is possible in milliseconds;
`test_member.py` starts real members.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoopi.errors import ClusterError
from scoopi.store.cluster import member_process
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import CLOSE_S, MemberProcess
from tests.engine.workspace import wait_until

Start = Callable[..., MemberProcess]
READY = "INFO: [127.0.0.1]:5701 [scoopi] [5.7.0] [127.0.0.1]:5701 is STARTED"
STAYS = "exec sleep 60"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a script as the member: its lines, its log file (None: a pipe)."""
    java, jar = tmp_path / "bin" / "java", tmp_path / "hazelcast.jar"
    java.parent.mkdir()
    jar.touch()
    environ = {"JAVA_HOME": str(tmp_path), "SCOOPI_HAZELCAST_JAR": str(jar), "PATH": os.environ["PATH"]}
    with ExitStack() as opened:

        def started(
            *script: str, log: Path | None = None, config: MemberConfig | None = None
        ) -> MemberProcess:
            java.write_text("\n".join(("#!/bin/sh", *script, "")))
            java.chmod(0o755)
            member = MemberProcess(config or MemberConfig(), environ, log)
            opened.callback(member.close, 0.5)
            return member

        yield started


@pytest.fixture(params=["pipe", "file"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "member.log" if request.param == "file" else None


def test_a_member_is_ready_at_the_line_that_says_so(start: Start, log: Path | None) -> None:
    heard: list[str] = []
    member = start("echo first", f"echo '{READY}'", STAYS, log=log)
    assert member.wait_ready(heard.append) == member.address == "127.0.0.1:5701"
    assert heard == ["first", READY]
    assert member.is_running


def test_an_address_of_ipv6_stands_in_brackets(start: Start) -> None:
    assert start("echo '[::1]:5702 is STARTED'", STAYS).wait_ready() == "[::1]:5702"


def test_after_it_was_ready_its_log_is_read_on_where_it_was(start: Start, log: Path | None) -> None:
    heard: list[str] = []
    member = start(
        f"echo '{READY}'", "echo after", "printf 'and in '", "sleep 0.1", "echo parts", "exit 7", log=log
    )
    member.wait_ready()
    assert member.follow(heard.append) == 7
    assert heard == ["after", "and in parts"]
    assert not member.is_running


def test_the_exit_code_of_a_member_that_a_signal_ended_is_negative(start: Start) -> None:
    assert start("kill -9 $$").follow() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("SEVERE: no room", "bye"), "SEVERE: no room"),
        (("java.io.IOException: first", "java.lang.Error: second", "bye"), "java.lang.Error: second"),
        (("one", "bye"), "bye"),
        ((), "it logged nothing"),
    ],
)
def test_of_a_member_that_does_not_start_the_most_useful_line_is_shown(
    start: Start, log: Path | None, lines: tuple[str, ...], words: str
) -> None:
    member = start(*(f"echo '{line}'" for line in lines), "exit 1", log=log)
    with pytest.raises(ClusterError, match=f"the member did not start: {words}; show") as raised:
        member.wait_ready()
    assert raised.value.hint == "show the whole log with --verbose"


@pytest.mark.parametrize("line", ["java.net.BindException: x", "Port 5701 is already in use"])
def test_where_its_port_is_taken_the_hint_names_the_option(start: Start, line: str) -> None:
    with pytest.raises(ClusterError) as raised:
        start(f"echo '{line}'", "exit 1").wait_ready()
    assert raised.value.hint == "use another --port, or none"


def test_a_member_that_does_not_end_when_asked_is_killed(start: Start) -> None:
    member = start("trap '' TERM", f"echo '{READY}'", "while :; do sleep 0.05; done")
    member.wait_ready()
    member.close(0.2)
    assert not Path(f"/proc/{member.pid}").exists(), "it has ended, and was waited for"
    assert not member.is_running


def test_a_member_is_asked_to_end_before_it_is_killed(start: Start, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    member = start(f"trap 'touch {asked}; exit 0' TERM", f"echo '{READY}'", "while :; do sleep 0.05; done")
    member.wait_ready()
    member.close(60)
    assert asked.exists()
    member.close()  # harmless


def test_leaving_it_ends_the_process_and_removes_its_configuration(start: Start) -> None:
    with start('echo "$@"', f"echo '{READY}'", STAYS) as member:
        heard: list[str] = []
        member.wait_ready(heard.append)
        (file,) = (
            Path(word.partition("=")[2])
            for word in heard[0].split()
            if word.startswith("-Dhazelcast.config=")
        )
        assert '"cluster-name": "scoopi"' in file.read_text()
    assert not member.is_running
    assert not file.exists()


def test_a_signal_to_the_group_of_its_starter_does_not_reach_it(start: Start) -> None:
    heard: list[str] = []
    member = start("cut -d' ' -f5,6 /proc/$$/stat", f"echo '{READY}'", STAYS)
    member.wait_ready(heard.append)
    group, session = map(int, heard[0].split())
    assert session == group
    assert session != os.getsid(0), "Ctrl-C in the terminal ends the node, which then ends it in order"


def test_a_given_configuration_is_read_in_place_and_stays(start: Start, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("hazelcast: {}")
    heard: list[str] = []
    with start('echo "$@"', f"echo '{READY}'", STAYS, config=MemberConfig(file=own)) as member:
        member.wait_ready(heard.append)
    assert f"-Dhazelcast.config={own}" in heard[0].split()
    assert own.read_text() == "hazelcast: {}"


def test_java_that_cannot_be_started_is_one_error_that_names_it_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tmp_path / "folders"
    folders.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folders))
    java, jar = tmp_path / "bin" / "java", tmp_path / "hazelcast.jar"
    java.parent.mkdir()
    java.write_bytes(b"\x7fELF of another machine")
    java.chmod(0o755)
    jar.touch()
    environ = {"JAVA_HOME": str(tmp_path), "SCOOPI_HAZELCAST_JAR": str(jar)}
    with pytest.raises(ClusterError, match="Java cannot be started") as raised:
        MemberProcess(MemberConfig(), environ)
    assert raised.value.at == str(java)
    assert not [*folders.iterdir()]


def test_a_member_that_hands_over_its_data_has_more_time_than_it_takes_itself() -> None:
    options = dict(option.partition("=")[::2] for option in MemberConfig().options(Path("own.yaml")))
    assert float(options["-Dhazelcast.graceful.shutdown.max.wait"]) < CLOSE_S


def test_the_file_of_a_log_is_not_read_in_a_tight_loop(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        time.sleep(seconds)

    monkeypatch.setattr(member_process, "time", SimpleNamespace(sleep=sleep))
    assert start("sleep 0.2", "echo done", log=tmp_path / "member.log").follow() == 0
    assert pauses


STARTER = """
import os, signal, sys
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import MemberProcess

member = MemberProcess(MemberConfig(), os.environ)
print(member.pid, member.wait_ready(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_member_ends_with_the_process_that_started_it(start: Start, tmp_path: Path) -> None:
    start(f"echo '{READY}'", STAYS).wait_ready()  # writes the script
    environ = {
        **os.environ,
        "JAVA_HOME": str(tmp_path),
        "SCOOPI_HAZELCAST_JAR": str(tmp_path / "hazelcast.jar"),
        "TMPDIR": str(tmp_path),
    }
    starter = subprocess.run(
        [sys.executable, "-c", STARTER], env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert starter.returncode == -signal.SIGKILL, starter.stderr
    member = Path(f"/proc/{starter.stdout.split()[0]}/cmdline")
    # The file of a zombie is empty.
    wait_until(lambda: not (member.exists() and member.read_bytes()), "the end of the member", 60)
