"""`scoopi member` starts a real member, says so, and never leaves a Java process behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoopi.cli.main import main
from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoreError
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.member_config import MemberConfig, find_jar, find_java
from scoopi.store.cluster.member_process import MemberProcess
from scoopi.store.ports import RUN
from tests.cluster.grids import free_port
from tests.engine.workspace import wait_until

CONF = Path(__file__).parents[2] / "conf" / "hazelcast.yaml"
TIMEOUT_S = 30


@contextmanager
def scoopi_member(*options: str) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """The verb as a process of its own, its ready line read: process, address, pid of Java."""
    command = [sys.executable, "-m", "scoopi", "member", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            match = re.fullmatch(r"member ready at (\S+), pid (\d+)\n", line)
            assert match, line
            yield process, match[1], int(match[2])
        finally:
            process.kill()


def is_gone(pid: int) -> bool:
    """Wait, bounded, for a process to be gone or a zombie."""
    pause = threading.Event()
    for _ in range(TIMEOUT_S * 20):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        pause.wait(0.05)
    return False


def test_it_serves_on_loopback_until_ctrl_c_and_leaves_nothing_behind() -> None:
    port = free_port()
    with scoopi_member("--port", str(port), "--name", "mine") as (process, address, pid):
        assert address == f"127.0.0.1:{port}"
        client = ClusterClient(ClusterSettings((address,), name="mine"))
        assert client.members() == [address]
        client.close()
        listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        assert [one.split(":")[0] for one in listening if int(one.split(":")[1], 16) == port] != []
        assert f"00000000:{port:04X}" not in listening
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 130
        assert process.stdout is not None
        assert process.stdout.read() == ""
        assert is_gone(pid)


def test_it_dies_with_its_starter_also_when_that_is_killed() -> None:
    with scoopi_member("--port", str(free_port())) as (process, _, pid):
        os.kill(pid, 0)
        process.kill()
        process.wait(TIMEOUT_S)
        assert is_gone(pid)


def test_members_join_each_other_and_one_that_is_asked_to_end_hands_its_data_over() -> None:
    ports = [free_port(), free_port()]
    join = ",".join(f"127.0.0.1:{port}" for port in ports)
    with (
        scoopi_member("--port", str(ports[0]), "--join", join, "--name", "two") as (first, address, _),
        scoopi_member("--port", str(ports[1]), "--join", join, "--name", "two") as (_, other, _),
    ):
        client = ClusterClient(ClusterSettings((other,), name="two"))
        assert client.members() == sorted([address, other])
        kept = client.map("kept")
        for number in range(300):
            kept.put_if_absent(str(number), "x").result()
        first.send_signal(signal.SIGTERM)
        assert first.wait(TIMEOUT_S) == 143
        assert kept.size().result() == 300
        client.close()


def test_other_members_may_be_named_one_by_one(tmp_path: Path) -> None:
    first, second, third = (f"127.0.0.1:{free_port()}" for _ in range(3))
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        '#!/bin/sh\nfor word; do case $word in -Dhazelcast.config=*) cat "${word#*=}"; esac; done\n'
    )
    java.chmod(0o755)
    (tmp_path / "hazelcast.jar").touch()
    environ = {
        **os.environ,
        "JAVA_HOME": str(tmp_path),
        "SCOOPI_HAZELCAST_JAR": str(tmp_path / "hazelcast.jar"),
    }
    command = [sys.executable, "-m", "scoopi", "member", "-v", "--join", f"{first},{second}", "--join", third]
    reported = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=TIMEOUT_S).stderr
    assert all(address in reported for address in (first, second, third))


def is_refused(store: HazelcastStore) -> bool:
    try:
        store.get_all(RUN, ["key"])
    except StoreError as error:
        return "the cluster seems split" in error.what
    return False


def test_a_member_of_three_refuses_all_calls_until_it_is_one_of_a_majority(tmp_path: Path) -> None:
    ports = [free_port() for _ in range(3)]
    join = tuple(f"127.0.0.1:{port}" for port in ports)
    configs = [MemberConfig(port, name="three", join=join, members=3) for port in ports]
    with MemberProcess(configs[0], os.environ, tmp_path / "first.log") as first:
        first.wait_ready()
        client = ClusterClient(ClusterSettings(join, name="three"))
        store = HazelcastStore(client)
        with pytest.raises(StoreError, match=r"the cluster seems split: 1 there, .* members have rejoined"):
            store.put_if_absent_all(RUN, [("key", b"value")])
        with MemberProcess(configs[1], os.environ, tmp_path / "second.log") as second:
            second.wait_ready()
            wait_until(lambda: client.seen() == 2, "the second member", TIMEOUT_S)
            assert store.put_if_absent_all(RUN, [("key", b"value")])[0].won
            second.end(hard=True)
            wait_until(lambda: is_refused(store), "a refusal", TIMEOUT_S)
        client.close()
        first.end(hard=True)


def test_the_configuration_of_conf_starts_a_member() -> None:
    port = free_port()
    with scoopi_member("--config", str(CONF), "--port", str(port)) as (_, address, _):
        assert address == f"127.0.0.1:{port}"
        client = ClusterClient(ClusterSettings((address,)))
        assert address in client.members()
        client.close()


def test_a_port_in_use_is_a_clear_error(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert main(["member", "--port", str(server.getsockname()[1])]) == 5
    assert "use another --port" in capfd.readouterr().err


def test_without_java_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["member"]) == 5
    assert "needs Java" in capfd.readouterr().err


def test_java_home_wins_and_must_hold_java(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    with pytest.raises(ClusterError, match="JAVA_HOME"):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": os.environ["PATH"]})
    java.parent.mkdir()
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    assert find_java({"JAVA_HOME": str(tmp_path), "PATH": os.environ["PATH"]}) == java


def test_the_named_jar_wins_then_the_newest_of_maven(tmp_path: Path) -> None:
    folder = tmp_path / ".m2" / "repository" / "com" / "hazelcast" / "hazelcast"
    for version in ("5.7.2", "5.7.10", "5.6.99"):
        (folder / version).mkdir(parents=True)
        (folder / version / f"hazelcast-{version}.jar").touch()
    environ = {"HOME": str(tmp_path), "PATH": ""}
    assert find_jar(environ).name == "hazelcast-5.7.10.jar"
    named = tmp_path / "my.jar"
    with pytest.raises(ClusterError, match="no such file"):
        find_jar({**environ, "SCOOPI_HAZELCAST_JAR": str(named)})
    named.touch()
    assert find_jar({**environ, "SCOOPI_HAZELCAST_JAR": str(named)}) == named


def test_a_jar_that_is_nowhere_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"no mvn in PATH.*SCOOPI_HAZELCAST_JAR"):
        find_jar({"HOME": str(tmp_path), "PATH": str(tmp_path)})
    mvn = tmp_path / "mvn"
    mvn.write_text("#!/bin/sh\necho no network\nexit 1\n")
    mvn.chmod(0o755)
    with pytest.raises(ClusterError, match="could not fetch it: no network"):
        find_jar({"HOME": str(tmp_path), "PATH": f"{tmp_path}:/bin:/usr/bin"})


def test_a_member_that_cannot_start_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("hazelcast: {no-such-element: 1}\n")
    member = MemberProcess(MemberConfig(free_port(), file=broken), os.environ, tmp_path / "log")
    with member, pytest.raises(ClusterError, match="no-such-element"):
        member.wait_ready()


@pytest.mark.parametrize(
    "options", [["--port", "0"], ["--heap", "much"], ["--members", "2"], ["--config", "absent.yaml"]]
)
def test_wrong_options_are_wrong_usage(options: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["member", *options]) == 2
    assert options[1] in capfd.readouterr().err
