"""Pod: plays the pod of a manifest with a process and folders of this machine."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import TracebackType

from tests.engine.workspace import wait_until
from tests.k8s.dockerfile import Stage
from tests.k8s.kustomization import K8S, Manifest

JOB_UID_LABEL = "metadata.labels['batch.kubernetes.io/controller-uid']"
FREE_PORT = "127.0.0.1:0"
LISTENS = re.compile(r"metrics: http://127\.0\.0\.1:(\d+) ")


class Pod:
    """The container's command with its arguments, environment, folders and probes, and no other variables.

    What differs: mounts are folders below `folder`, so arguments and the current folder lead there; metrics
    are served on a free port of the loopback; members are where `members` says.

    Args:
        job_uid: of the Job whose pod it is.
        members: variables in the place of the manifest's, that lead to the members or the database.
        volumes: the folder of the volumes that pods share.
    """

    def __init__(
        self,
        template: Manifest,
        config_maps: dict[str, dict[str, str]],
        image: Stage,
        folder: Path,
        *,
        job_uid: str = "",
        members: dict[str, str],
        volumes: Path,
    ) -> None:
        self._spec = template["spec"]
        self._container = self._spec["containers"][0]
        self._image = image
        self._fields = {JOB_UID_LABEL: job_uid, "metadata.name": folder.name}
        self._members = members
        self.folder = folder
        self._mount(config_maps, volumes)
        self._log = (folder / "stderr.txt").open("wb")
        self.process = subprocess.Popen(
            self.command(),
            cwd=self.path(image.one("WORKDIR")),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )

    def __enter__(self) -> Pod:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()

    @property
    def grace_s(self) -> int:
        """Between SIGTERM and SIGKILL."""
        grace: int = self._spec["terminationGracePeriodSeconds"]
        return grace

    def path(self, inside: str) -> Path:
        """Where a path of the container is here."""
        return self.folder / inside.lstrip("/")

    def command(self) -> list[str]:
        """The image's entry point with the manifest's arguments."""
        assert self._image.command("ENTRYPOINT") == ["/opt/scoopi/bin/scoopi"]
        assert "command" not in self._container
        variables = self._variables()
        words = [
            re.sub(r"\$\((\w+)\)", lambda match: variables[match[1]], word)
            for word in self._container["args"]
        ]
        given = [str(self.path(word)) if word.startswith("/") else word for word in words]
        given = [FREE_PORT if word.startswith("0.0.0.0:") else word for word in given]
        return [sys.executable, "-m", "scoopi", *given]

    def environment(self) -> dict[str, str]:
        """The manifest's variables, and what makes this checkout the image's program."""
        return {
            **self._variables(),
            "SCOOPI_METRICS_SERVER_HOST": "127.0.0.1",
            "SCOOPI_METRICS_SERVER_PORT": "0",
            "PATH": os.defpath,
            "PYTHONPATH": str(K8S.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.path("/tmp")),
        }

    def probe(self, name: str) -> int:
        """The status that a probe of the manifest meets; 0 when nothing listens yet."""
        asked = self._container[f"{name}Probe"]["httpGet"]
        assert asked["port"] in {each["name"] for each in self._container["ports"]}
        return self.ask(asked["path"])[0]

    def ask(self, path: str) -> tuple[int, bytes]:
        """Status and body of an answer on the metrics port; 0 when nothing listens yet."""
        listens = LISTENS.search(self.log_text())
        if listens is None:
            return 0, b""
        connection = http.client.HTTPConnection("127.0.0.1", int(listens[1]), timeout=5)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def wait_ready(self) -> None:
        """Wait as the kubelet does: until it has started, then until it is ready."""
        for name in ("startup", "readiness"):
            wait_until(partial(self._answers, name), name)
        assert not self._ended(), self.log_text()

    def _answers(self, probe: str) -> bool:
        return self._ended() or self.probe(probe) == 200

    def delete(self) -> int:
        """SIGTERM, the grace period, and the exit code; TimeoutExpired when SIGKILL would come."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(self.grace_s)

    def log_text(self) -> str:
        """What the container logged."""
        return (self.folder / "stderr.txt").read_text()

    def _ended(self) -> bool:
        return self.process.poll() is not None

    def _variables(self) -> dict[str, str]:
        reported = {each["name"]: each for each in self._container["env"]}
        values = {
            name: each["value"]
            if "value" in each
            else self._fields[each["valueFrom"]["fieldRef"]["fieldPath"]]
            for name, each in reported.items()
            if name not in self._members
        }
        return {**values, **self._members}

    def _mount(self, config_maps: dict[str, dict[str, str]], shared: Path) -> None:
        volumes = {each["name"]: each for each in self._spec["volumes"]}
        self.folder.mkdir(parents=True)
        for mount in self._container["volumeMounts"]:
            place, volume = self.path(mount["mountPath"]), volumes[mount["name"]]
            if "persistentVolumeClaim" in volume:
                claimed = shared / volume["persistentVolumeClaim"]["claimName"]
                claimed.mkdir(parents=True, exist_ok=True)
                place.symlink_to(claimed)
                continue
            if "subPath" in mount:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(config_maps[volume["configMap"]["name"]][mount["subPath"]])
                continue
            place.mkdir()
            if "configMap" in volume:
                _project(place, config_maps[volume["configMap"]["name"]])


def _project(place: Path, data: dict[str, str]) -> None:
    """As the kubelet does: files in a hidden folder, a link to it, and a link to each file through that."""
    hidden = place / "..2026_01_01_00_00_00.123456789"
    hidden.mkdir()
    (place / "..data").symlink_to(hidden.name)
    for name, text in data.items():
        (hidden / name).write_text(text)
        (hidden / name).chmod(0o444)
        (place / name).symlink_to(f"..data/{name}")
