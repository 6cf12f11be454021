"""BrowserPool: lends browsers to the loaders of all workers of a node, over a socket."""

from __future__ import annotations

import itertools
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Listener
from pathlib import Path

from scoopi.browser.browser import DEATH, Browser
from scoopi.browser.kept_pages import KeptPages
from scoopi.browser.pool_messages import (
    BrowserReserved,
    Rendered,
    Visit,
    VisitFailed,
    receive_visit,
    send,
)
from scoopi.browser.pool_process import SOCKET
from scoopi.configs.groups import BrowserSettings

GRACE_S = 0.5
"""The time beyond its timeouts after which a browser counts as hung, and is killed."""
_DIED = VisitFailed("the browser has ended while it loaded the page", "the browser has ended", "reset")
_HUNG = VisitFailed(
    "the browser did not answer within its timeout, and was killed", "the browser hangs", "timeout"
)


class BrowserPool:
    """Lends browsers to the loaders of all workers of a node, over a socket.

    It has at most `settings.browsers` of them, started when they are wanted.

    Args:
        folder: of the socket and the profiles; only its owner may enter it.
        shots: the folder of screenshots and of pages that failed.
    """

    def __init__(self, settings: BrowserSettings, folder: Path, shots: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._shots = shots
        self._kept = KeptPages(shots)
        self._free = threading.Semaphore(settings.browsers)
        self._idle: list[Browser] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    def serve(self) -> None:
        """Accept loaders until the process ends."""
        with Listener(str(self._folder / SOCKET), "AF_UNIX") as listener:
            while True:
                connection = listener.accept()
                threading.Thread(target=self._lend, args=(connection,), daemon=True).start()

    def _lend(self, connection: Connection) -> None:
        """One loader: wait for a free browser that runs, then load what is asked for."""
        with connection, self._free, suppress(EOFError, OSError):
            browser = self._borrowed()
            if isinstance(browser, VisitFailed):
                send(connection, browser)
                return
            is_good = True
            try:
                send(connection, BrowserReserved())
                visit = receive_visit(connection)
                result, is_good = self._loaded(browser, visit)
            finally:
                self._give_back(browser, is_good)
            send(connection, result)

    def _loaded(self, browser: Browser, visit: Visit) -> tuple[Rendered | VisitFailed, bool]:
        """What a visit gives, and whether its browser can be used again."""
        try:
            with self._watched(browser, visit) as hung:
                result = browser.load(visit)
        except DEATH:
            return (_HUNG if hung.is_set() else _DIED), False
        return result, not hung.is_set()

    @contextmanager
    def _watched(self, browser: Browser, visit: Visit) -> Iterator[threading.Event]:
        """Kill the browser if it takes too long; the event says whether that has happened."""
        hung = threading.Event()

        def kill() -> None:
            hung.set()
            browser.kill()

        timer = threading.Timer(visit.timeout_s + GRACE_S, kill)
        timer.daemon = True
        timer.start()
        try:
            yield hung
        finally:
            timer.cancel()

    def _borrowed(self) -> Browser | VisitFailed:
        """A browser, an idle one if there is one; the failure if none can be started."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        profile = self._folder / f"profile{next(self._numbers)}"
        profile.mkdir()
        try:
            return Browser(self._settings, profile, self._shots, self._kept)
        except DEATH as error:
            said = str(getattr(error, "msg", error)).strip().partition("\n")[0]
            hint = "install Debian's chromium-driver, or set scoopi.webDriver.browserPath and driverPath"
            return VisitFailed(f"no browser can be started: {said}", "no browser can be started", hint=hint)

    def _give_back(self, browser: Browser, is_good: bool) -> None:
        if is_good and browser.pages < self._settings.pages:
            with self._lock:
                self._idle.append(browser)
            return
        browser.kill()
        shutil.rmtree(browser.profile, ignore_errors=True)
