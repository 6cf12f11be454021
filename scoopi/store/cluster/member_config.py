"""MemberConfig: how a Hazelcast member for development is configured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FIRST_PORT = 5701
JAVA_FILTER = {
    "defaults-disabled": True,
    "whitelist": {"prefix": ["[", "com.hazelcast.", "java.lang.", "java.util."]},
}
"""Java's own serialization builds any class. Scoopi never uses it; members send each other faults by it."""
NEIGHBOURS = 5
"""So many ports, from 5701 on, are looked at for other members of this machine."""


@dataclass(frozen=True, slots=True)
class MemberConfig:
    """What `scoopi member` was asked for.

    Attributes:
        port: None: the first free one from 5701 on.
        host: the address that the member binds to.
        heap: the largest heap, as Java writes it: `256m`.
        name: of the cluster.
        join: `HOST:PORT` of other members; empty: those of this machine.
        file: a Hazelcast configuration that stands in place of the one made here.
    """

    port: int | None = None
    host: str = "127.0.0.1"
    heap: str = "256m"
    name: str = "scoopi"
    join: tuple[str, ...] = ()
    file: Path | None = None

    def options(self, file: Path) -> list[str]:
        """Options of the JVM; `file` is the configuration to be read, made here or given."""
        options = [
            f"-Xmx{self.heap}",
            "-XX:+UseSerialGC",
            # Such a member lives for minutes: what the second compiler costs, its code would not bring back.
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            f"-Dhazelcast.config={file}",
            f"-Dhazelcast.local.localAddress={self.host}",
            "-Dhazelcast.socket.bind.any=false",
            "-Dhazelcast.phone.home.enabled=false",
            "-Dhazelcast.metrics.enabled=false",
            "-Dhazelcast.logging.type=jdk",
            "-Djava.net.preferIPv4Stack=true",
            # The orderly way: a member that is asked to end hands its partitions over first.
            "-Dhazelcast.shutdownhook.policy=GRACEFUL",
            "-Dhazelcast.graceful.shutdown.max.wait=20",
        ]
        if self.file is not None and self.port is not None:
            options.append(f"-Dhz.network.port.port={self.port}")
            options.append("-Dhz.network.port.auto-increment=false")
        return options

    def text(self) -> str:
        """The configuration; JSON, which is YAML too."""
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
            # As in conf/hazelcast.yaml: less to do at each write.
            "serialization": {"java-serialization-filter": JAVA_FILTER},
            "map": {"scoopi.*": {"metadata-policy": "OFF", "statistics-enabled": False}},
            "properties": {
                "hazelcast.operation.fail.on.indeterminate.state": "true",
                # All members of this machine are found at once or not at all.
                "hazelcast.wait.seconds.before.join": "0",
            },
        }
        return json.dumps({"hazelcast": root}, indent=2)

    def _others(self, port: int) -> tuple[str, ...]:
        neighbours = range(FIRST_PORT, FIRST_PORT + NEIGHBOURS)
        if self.join:
            return self.join
        if port in neighbours:
            return tuple(f"{self.host}:{other}" for other in neighbours)
        return (f"{self.host}:{port}",)
