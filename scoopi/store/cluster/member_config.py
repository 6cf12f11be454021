"""MemberConfig: the configuration of a Hazelcast member for development, and its Java and jar."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scoopi.configs.groups.cluster_groups import DEFAULT_PORT
from scoopi.errors import ClusterError

JAR_VARIABLE = "SCOOPI_HAZELCAST_JAR"
VERSION = "5.7.0"
"""The version requested from Maven; any 5.7.x in the local repository is fine, too."""

_FOLDER = Path("com/hazelcast/hazelcast")
_JAR = re.compile(r"hazelcast-5\.7\.(\d+)\.jar")
_MAVEN_S = 300
FIRST_PORT = DEFAULT_PORT
JAVA_FILTER = {
    "defaults-disabled": True,
    "whitelist": {"prefix": ["[", "com.hazelcast.", "java.lang.", "java.util."]},
}
"""The classes that members may deserialize. Scoopi does not use Java's serialization, but errors do."""
MAJORITY = "scoopi-majority"
NEIGHBOURS = 5
"""Number of ports, from 5701 on, that are searched for other members on this machine."""


def find_java(environ: Mapping[str, str]) -> Path:
    """Find the `java` program in JAVA_HOME, or else in PATH.

    Raises:
        ClusterError: there is none.
    """
    home = environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if os.access(java, os.X_OK):
            return java
        raise ClusterError(f"JAVA_HOME has no program bin/java: {home}", hint="correct or unset JAVA_HOME")
    found = shutil.which("java", path=environ.get("PATH", os.defpath))
    if found is None:
        raise ClusterError(
            "a Hazelcast member needs Java, and there is none in JAVA_HOME or PATH",
            hint="install a Java runtime, 17 or newer",
        )
    return Path(found)


def find_jar(environ: Mapping[str, str]) -> Path:
    """Find Hazelcast's jar: the file in SCOOPI_HAZELCAST_JAR, or else one in the local Maven repository.

    If that has none, `mvn` downloads it, which may take minutes.

    Raises:
        ClusterError: there is no jar; the message says what was tried.
    """
    named = environ.get(JAR_VARIABLE)
    if named:
        if Path(named).is_file():
            return Path(named)
        raise ClusterError("there is no such file", at=f"{JAR_VARIABLE}={named}", hint="name Hazelcast's jar")
    folder = _repository(environ) / _FOLDER
    jar = _newest(folder)
    if jar is None:
        fault = _fetch(environ)
        jar = _newest(folder)
        if jar is None:
            raise ClusterError(
                f"Hazelcast's jar is not in {folder}, and {fault}",
                hint=f"set {JAR_VARIABLE} to hazelcast-{VERSION}.jar of Maven Central",
            )
    return jar


def _repository(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home()) / ".m2" / "repository"


def _newest(folder: Path) -> Path | None:
    found = [
        (int(match[1]), jar) for jar in folder.glob("5.7.*/*.jar") if (match := _JAR.fullmatch(jar.name))
    ]
    return max(found)[1] if found else None


def _fetch(environ: Mapping[str, str]) -> str:
    """Have Maven put the jar into its local repository; return why it could not, if it could not."""
    maven = shutil.which("mvn", path=environ.get("PATH", os.defpath))
    if maven is None:
        return "there is no mvn in PATH to fetch it"
    # Without dependencies: a member needs none, and one of them is not in a public repository.
    command = [maven, "-q", "-B", "dependency:get", "-Dtransitive=false"]
    command.append(f"-Dmaven.repo.local={_repository(environ)}")  # Maven itself ignores HOME
    command.append(f"-Dartifact=com.hazelcast:hazelcast:{VERSION}")
    try:
        done = subprocess.run(  # noqa: S603
            command, env=dict(environ), capture_output=True, text=True, timeout=_MAVEN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        return f"mvn could not fetch it: {fault}"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return f"mvn could not fetch it: {lines[0] if lines else f'exit {done.returncode}'}"


@dataclass(frozen=True, slots=True)
class MemberConfig:
    """The configuration of a Hazelcast member for development.

    Attributes:
        port: port to listen on; None for the first free one from 5701 on.
        host: address to bind to.
        heap: maximum heap in Java's notation, as in `256m`.
        name: name of the cluster.
        join: `HOST:PORT` of other members; empty for those on this machine.
        file: a Hazelcast configuration to use instead of the one made here.
        members: expected number of members; a member refuses calls while it sees no majority of them.
    """

    port: int | None = None
    host: str = "127.0.0.1"
    heap: str = "256m"
    name: str = "scoopi"
    join: tuple[str, ...] = ()
    file: Path | None = None
    members: int = 1

    def options(self, file: Path) -> list[str]:
        """The JVM's command-line options.

        Args:
            file: the Hazelcast configuration to use.
        """
        options = [
            f"-Xmx{self.heap}",
            "-XX:+UseSerialGC",
            # Such a member lives for minutes, so the C2 compiler would not pay off.
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            f"-Dhazelcast.config={file}",
            f"-Dhazelcast.local.localAddress={self.host}",
            "-Dhazelcast.socket.bind.any=false",
            "-Dhazelcast.phone.home.enabled=false",
            # Nodes ask for the free heap; JMX is not used.
            "-Dhazelcast.metrics.jmx.enabled=false",
            "-Dhazelcast.logging.type=jdk",
            "-Djava.net.preferIPv4Stack=true",
            # A graceful shutdown: on SIGTERM a member hands over its partitions first.
            "-Dhazelcast.shutdownhook.policy=GRACEFUL",
            "-Dhazelcast.graceful.shutdown.max.wait=20",
        ]
        if self.file is not None and self.port is not None:
            options.append(f"-Dhz.network.port.port={self.port}")
            options.append("-Dhz.network.port.auto-increment=false")
        return options

    def text(self) -> str:
        """The Hazelcast configuration as JSON, which is also YAML; `file` and `heap` are not part of it."""
        port = self.port or FIRST_PORT
        root = {
            "cluster-name": self.name,
            "network": {
                "port": {"port": port, "auto-increment": self.port is None, "port-count": 100},
                "join": {
                    "auto-detection": {"enabled": False},
                    "multicast": {"enabled": False},
                    "tcp-ip": {"enabled": True, "member-list": list(self._others(port))},
                },
            },
            "split-brain-protection": self._majority(),
            "serialization": {"java-serialization-filter": JAVA_FILTER},
            # As in conf/hazelcast.yaml: less work per write.
            "map": {
                "scoopi.*": {
                    "metadata-policy": "OFF",
                    "statistics-enabled": False,
                    **({"split-brain-protection-ref": MAJORITY} if self.members > 1 else {}),
                }
            },
            "properties": {
                # As in conf/hazelcast.yaml: a member that does not answer is declared dead.
                "hazelcast.heartbeat.interval.seconds": "1",
                "hazelcast.max.no.heartbeat.seconds": "15",
                "hazelcast.merge.first.run.delay.seconds": "10",
                "hazelcast.merge.next.run.delay.seconds": "10",
                "hazelcast.operation.fail.on.indeterminate.state": "true",
                # Members on this machine are found immediately or not at all.
                "hazelcast.wait.seconds.before.join": "0",
            },
        }
        return json.dumps({"hazelcast": root})

    def _majority(self) -> dict[str, object]:
        """Split-brain protection; empty for one member, since Hazelcast's minimum is two."""
        least = self.members // 2 + 1
        return {MAJORITY: {"enabled": True, "minimum-cluster-size": least}} if least > 1 else {}

    def _others(self, port: int) -> tuple[str, ...]:
        neighbours = range(FIRST_PORT, FIRST_PORT + NEIGHBOURS)
        if self.join:
            return self.join
        if port in neighbours:
            return tuple(f"{self.host}:{other}" for other in neighbours)
        return (f"{self.host}:{port}",)
