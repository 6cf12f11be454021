"""SeleniumGrid: a real grid on loopback, which starts browsers of this machine for those who ask for them."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType
from typing import Any

from scoopi.descendants import kill_tree
from tests.engine.workspace import wait_until

START_S = 180.0
_MAIN = "org.openqa.selenium.grid.Bootstrap"
_CLASSPATH = Path(sys.prefix) / "grid.classpath"


class SeleniumGrid:
    """A real grid on loopback; `with SeleniumGrid(folder) as grid:`.

    Args:
        folder: of its log.
    """

    def __init__(self, folder: Path) -> None:
        self._log = folder / "grid.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> SeleniumGrid:
        java = shutil.which("java")
        assert java is not None
        command = [
            java,
            "-Xmx256m",
            "-cp",
            _CLASSPATH.read_text().strip(),
            "org.openqa.selenium.grid.Bootstrap",
        ]
        command += ["standalone", "--selenium-manager", "false"]
        command += ["--host", "127.0.0.1", "--port", str(self._port)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_until(self._is_ready, "the grid", START_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        kill_tree(self._process.pid)
        self._process.wait()

    def sessions(self) -> int:
        """How many browsers run now."""
        nodes = self._status().get("nodes", ())
        return sum(slot["session"] is not None for node in nodes for slot in node["slots"])

    def _is_ready(self) -> bool:
        return bool(self._status().get("ready"))

    def _status(self) -> dict[str, Any]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=10)
        try:
            connection.request("GET", "/status")
            found: dict[str, Any] = json.loads(connection.getresponse().read())["value"]
        except (OSError, HTTPException):
            return {}
        finally:
            connection.close()
        return found
