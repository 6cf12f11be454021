"""PoolProcess: a node's pool of browsers, as the process that loads pages sees it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from scoopi.configs.groups import BrowserSettings
from scoopi.errors import ConfigError
from scoopi.model.definitions import TaskGroup

SOCKET = "socket"
"""The name of the pool's socket in its folder."""
SHOTS = "browser"
"""The folder of screenshots in that of a run."""
_LONGEST_FOLDER = 35
"""Bytes; the name of a socket may have 107, and Chromium makes one in a folder of its own below."""
_END_S = 10.0
"""The longest that killing all browsers may take."""


class PoolOrder(msgspec.Struct, frozen=True):
    """What the process above the browsers is given; it removes `folder` at its end.

    Attributes:
        shots: the folder of screenshots; it stays.
    """

    folder: str
    shots: str
    settings: BrowserSettings


class PoolProcess:
    """A node's pool of browsers, as the process that loads pages sees it.

    It starts with the object; browsers start when the first page wants one.

    Args:
        shots: the folder of screenshots; it is made for the first one.

    Attributes:
        socket: where loaders ask for a browser.
        pid: of the process above all browsers.

    Raises:
        ConfigError: Selenium is not installed.
    """

    def __init__(self, settings: BrowserSettings, shots: Path) -> None:
        ensure_selenium()
        self._folder = tempfile.mkdtemp(prefix="scoopi-browsers-", dir=_short_folder())
        self.socket = str(Path(self._folder) / SOCKET)
        command = [sys.executable, "-P", "-m", "scoopi.browser"]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            process_group=0,
            env={**os.environ, "TMPDIR": self._folder},  # what browsers leave is removed with it
        )
        self.pid = self._process.pid
        assert self._process.stdin is not None
        self._process.stdin.write(
            msgspec.json.encode(PoolOrder(self._folder, str(shots.absolute()), settings)) + b"\n"
        )
        self._process.stdin.flush()

    def close(self) -> None:
        """Kill all browsers, and wait for that."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # what it leaves if it was killed itself
        shutil.rmtree(self._folder, ignore_errors=True)


def _short_folder() -> str:
    """The folder of temporary files; another one if a socket in it would have too long a name."""
    folder = tempfile.gettempdir()
    return folder if len(os.fsencode(folder)) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108 - mkdtemp is safe


def ensure_selenium() -> None:
    """Raise ConfigError if what drives browsers is not installed."""
    if importlib.util.find_spec("selenium") is None:
        raise ConfigError("`loader: browser` needs Selenium", hint='run `pip install "scoopi[browser]"`')


@contextlib.contextmanager
def browsers_for(groups: Iterable[TaskGroup], settings: BrowserSettings, folder: Path) -> Iterator[str]:
    """The socket of a pool, if pages of one of the groups are loaded in a browser; else an empty text.

    Args:
        folder: screenshots are saved in its folder `browser`.

    Raises:
        ConfigError: Selenium is not installed.
    """
    if all(group.browser is None for group in groups):
        yield ""
        return
    with contextlib.closing(PoolProcess(settings, folder / SHOTS)) as pool:
        yield pool.socket
