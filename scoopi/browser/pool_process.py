"""PoolProcess: starts and ends the process with a node's pool of browsers."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from scoopi.configs.groups import BrowserSettings
from scoopi.errors import ConfigError
from scoopi.model.scrape.task_def import TaskGroup

log = logging.getLogger(__name__)

SOCKET = "socket"
"""The name of the pool's socket in its folder."""
SHOTS = "browser"
"""The name of the folder of screenshots in the folder of a run."""
_LONGEST_FOLDER = 32
"""Bytes; the name of a socket may have 107, and Chromium makes one in a folder of its own below."""
END_S = 10.0
"""Seconds that killing all browsers may take at most."""
_PAUSE_S = 1.0
"""Before a pool that has ended is started again."""


class PoolParameters(msgspec.Struct, frozen=True):
    """The parameters of the parent process of the browsers, sent to its standard input.

    Attributes:
        folder: the folder of the socket; removed when the node ends.
        profiles: a folder in it for all files of browsers; removed when the process ends.
        shots: the folder of screenshots; it is kept.
        settings: the settings `scoopi.webDriver`.
        scripts: the command of the process for script plugins; empty if there are none.
    """

    folder: str
    profiles: str
    shots: str
    settings: BrowserSettings
    scripts: tuple[str, ...] = ()


class PoolProcess:
    """The process with a node's pool of browsers.

    It is started by the constructor, and again if it ends before `close`, for example if the kernel kills
    it when memory is short. Browsers start when the first page needs one.

    Args:
        settings: the settings `scoopi.webDriver`.
        shots: the folder of screenshots; created with the first one.
        scripts: the command of the process for script plugins; empty if there are none.
    Attributes:
        socket: path of the socket on which loaders ask for a browser.
        pid: id of the current parent process of all browsers.

    Raises:
        ConfigError: Selenium is not installed, or the address of the grid is not an address.
    """

    def __init__(self, settings: BrowserSettings, shots: Path, scripts: tuple[str, ...] = ()) -> None:
        ensure_selenium()
        _ensure_address(settings.url)
        self._settings = settings
        self._shots = str(shots.absolute())
        self._scripts = scripts
        self._folder = tempfile.mkdtemp(prefix="scoopi-browsers-", dir=_short_folder())
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.socket = str(Path(self._folder) / SOCKET)
        self._process = self._started()
        threading.Thread(target=self._watch, name="browser-pool-watch", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """Kill all browsers, wait for their end for 10 s at most, and remove their files.

        A process that still waits for a hung browser of a grid is not killed: it ends within a minute.
        """
        with self._lock:
            self._closed.set()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            if self._settings.url:
                log.warning("a browser of the grid does not end: look there if it is still open in a minute")
                return
            self._process.kill()
            self._process.wait()
        self._kill_rest()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _started(self) -> subprocess.Popen[bytes]:
        profiles = self._profiles = Path(self._folder) / str(next(self._numbers))
        profiles.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "scoopi.browser"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            process_group=0,
            env={**os.environ, "TMPDIR": str(profiles)},  # what browsers leave is removed with it
        )
        assert process.stdin is not None
        parameters = PoolParameters(self._folder, str(profiles), self._shots, self._settings, self._scripts)
        with contextlib.suppress(BrokenPipeError):  # it has ended already, which `_watch` notices
            process.stdin.write(msgspec.json.encode(parameters) + b"\n")
            process.stdin.flush()
        return process

    def _watch(self) -> None:
        """Start the process again whenever it has ended."""
        while True:
            self._process.wait()
            if self._closed.wait(_PAUSE_S):
                return
            with self._lock:
                if self._closed.is_set():
                    return
                log.warning("the pool of browsers has ended; it is started again")
                self._kill_rest()
                shutil.rmtree(self._profiles, ignore_errors=True)  # a killed process may not have done this
                assert self._process.stdin is not None
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
                try:
                    self._process = self._started()
                except OSError as error:  # the cause, such as a lack of memory, may persist
                    log.warning("the pool of browsers cannot be started, and is tried again: %s", error)

    def _kill_rest(self) -> None:
        """Kill what the process leaves if it was killed itself."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def _short_folder() -> str:
    """The folder of temporary files; another one if a socket in it would have too long a name."""
    folder = tempfile.gettempdir()
    return folder if len(os.fsencode(folder)) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108 - mkdtemp is safe


def ensure_selenium() -> None:
    """Raise ConfigError if Selenium is not installed."""
    if importlib.util.find_spec("selenium") is None:
        raise ConfigError("`loader: browser` needs Selenium", hint='run `pip install "scoopi[browser]"`')


def _ensure_address(url: str) -> None:
    """Raise ConfigError if the address of a grid is given and is not one; it may have a password."""
    if url and not (urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname):
        what = "scoopi.webDriver.url is not the address of a grid"
        raise ConfigError(what, hint="write it as in http://grid.example:4444")


@contextlib.contextmanager
def browsers_for(
    groups: Iterable[TaskGroup], settings: BrowserSettings, folder: Path, scripts: tuple[str, ...] = ()
) -> Iterator[str]:
    """Run a pool if a group loads pages in a browser, and yield its socket; otherwise yield an empty text.

    Args:
        settings: the settings `scoopi.webDriver`.
        folder: the folder of the run; screenshots go to its folder `browser`.
        scripts: the command of the process for script plugins; empty if there are none.

    Raises:
        ConfigError: Selenium is not installed, or the address of the grid is not an address.
    """
    if all(group.browser is None for group in groups):
        yield ""
        return
    with contextlib.closing(PoolProcess(settings, folder / SHOTS, scripts)) as pool:
        yield pool.socket
