"""BrowserPool: lends browsers to the loaders of all workers of a node, over a socket."""

from __future__ import annotations

import itertools
import logging
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Listener
from pathlib import Path

from scoopi.browser.browser import CRASHED, Browser
from scoopi.browser.browser_watch import BrowserWatch
from scoopi.browser.failed_starts import StartBackoff, start_fault
from scoopi.browser.grant_client import GrantClient
from scoopi.browser.liveness_probe import BROWSER, silence
from scoopi.browser.page.page_snapshots import PageSnapshots
from scoopi.browser.pool_messages import (
    BrowserReserved,
    Rendered,
    Visit,
    VisitFailed,
    receive_visit,
    send,
)
from scoopi.browser.pool_process import SOCKET
from scoopi.browser.protocol.protocol_link import NoAnswerError, RejectedError
from scoopi.browser.protocol.rejected_commands import has_gone, rejection
from scoopi.browser.remote_sessions import SESSION
from scoopi.configs.groups import BrowserSettings
from scoopi.errors import NO_BROWSER

log = logging.getLogger(__name__)

_LINGER_S = 1.5
"""How long a page stays open for a loader that waits for its grant, as with a host's delay of a second."""
_LOOK_AFTER = 20
"""Number of pages without a pause after which the pool measures the browser's memory, which takes some ms."""
_LEAVE_S = 2.0
"""The longest that a browser may take to close a page."""
_DIED = VisitFailed("the browser has ended while it loaded the page", "the browser has ended", NO_BROWSER)


class BrowserPool:
    """Lends browsers to the loaders of all workers of a node, over a socket.

    It has at most `settings.browsers` of them, each started on demand.

    Args:
        settings: the settings `scoopi.webDriver`.
        folder: the folder of the socket, which only its owner may enter.
        profiles: the folder of the browsers' profiles.
        shots: the folder of screenshots and of pages that failed.
        scripts: the command of the process for script plugins; empty if there are none.
    """

    def __init__(
        self,
        settings: BrowserSettings,
        folder: Path,
        profiles: Path,
        shots: Path,
        scripts: Sequence[str] = (),
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._profiles = profiles
        self._shots = shots
        self._snapshots = PageSnapshots(shots)
        self._scripts = scripts
        self._free = threading.Semaphore(settings.browsers)
        self._waiting = 0
        self._idle: list[Browser] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._backoff = StartBackoff()

    def serve(self) -> None:
        """Accept loaders until the process ends."""
        socket = self._folder / SOCKET
        socket.unlink(missing_ok=True)  # of a pool that was killed
        with Listener(str(socket), "AF_UNIX") as listener:
            while True:
                connection = listener.accept()
                lender = threading.Thread(
                    target=self._lend, args=(connection,), name="browser-loan", daemon=True
                )
                lender.start()

    def _lend(self, connection: Connection) -> None:
        """One loader: wait for a free browser that runs, then load what is asked for."""
        with connection, self._turn(), suppress(EOFError, OSError):
            browser = self._borrowed()
            if isinstance(browser, VisitFailed):
                send(connection, browser)
                return
            is_good = True
            try:
                send(connection, BrowserReserved())
                is_good = connection.poll(_LINGER_S) or self._has_left(browser)
                visit = receive_visit(connection)
                if not is_good:
                    send(connection, _DIED)
                    return
                is_good = False  # unless all goes well
                grants = GrantClient(connection)
                result, is_good = self._loaded(browser, visit, grants)
                grants.end(result)
            finally:
                self._give_back(browser, is_good)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for a browser that is free."""
        with self._lock:
            self._waiting += 1
        self._free.acquire()
        with self._lock:
            self._waiting -= 1
        try:
            yield
        finally:
            self._free.release()

    def _loaded(
        self, browser: Browser, visit: Visit, grants: GrantClient
    ) -> tuple[Rendered | VisitFailed, bool]:
        """What a visit gives, and whether its browser can be used again."""
        watch = BrowserWatch(browser, visit.timeout_s, self._settings.memory_mb)
        try:
            with watch:
                result = browser.load(visit, grants.ask)
        except CRASHED as error:
            return watch.verdict or _crash(error), False
        except Exception as error:
            return _unexpected(error), False
        return result, watch.verdict is None

    def _borrowed(self) -> Browser | VisitFailed:
        """A browser, an idle one if there is one; the failure if none can be started."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        if failure := self._backoff.wait():
            return failure
        profile = self._profiles / f"profile{next(self._numbers)}"
        try:
            profile.mkdir()
            browser = Browser(self._settings, profile, self._shots, self._snapshots, self._scripts)
        except Exception as error:
            if not (profile / SESSION).exists():  # else it names a session of a grid, which is ended later
                shutil.rmtree(profile, ignore_errors=True)
            failure = start_fault(self._settings, error) if isinstance(error, CRASHED) else _unexpected(error)
            self._backoff.failed(failure)
            return failure
        self._backoff.worked()
        return browser

    def _give_back(self, browser: Browser, is_good: bool) -> None:
        if is_good and browser.pages < self._settings.pages and self._stays(browser):
            with self._lock:
                self._idle.append(browser)
            return
        browser.kill()
        if browser.has_ended:  # else the profile names the session, which is ended later
            shutil.rmtree(browser.profile, ignore_errors=True)

    def _stays(self, browser: Browser) -> bool:
        """Close the page, unless another one follows; whether the browser can load further ones."""
        with self._lock:
            is_wanted = self._waiting > 0
        if is_wanted and (browser.pages % _LOOK_AFTER or self._is_small(browser, browser.memory_mb())):
            return True
        if not self._has_left(browser):
            return False
        left_mb = browser.memory_mb()
        browser.first_mb = browser.first_mb or left_mb
        return self._is_small(browser, left_mb)

    def _is_small(self, browser: Browser, now_mb: int) -> bool:
        """Whether a browser has grown less than half-way to what it may use."""
        return 2 * now_mb <= browser.first_mb + self._settings.memory_mb

    def _has_left(self, browser: Browser) -> bool:
        """Close the page; whether the browser has done so in time."""
        try:
            with BrowserWatch(browser, _LEAVE_S, self._settings.memory_mb) as watch:
                browser.leave()
        except CRASHED:
            return False
        return watch.verdict is None


def _unexpected(error: Exception) -> VisitFailed:
    """The failure of a page for which the pool has raised what no browser causes."""
    log.error("the pool of browsers: unexpected error", exc_info=error)
    what = f"the pool of browsers failed: {type(error).__name__}: {error}"
    hint = "this is a bug in Scoopi: please report it, with its traceback above"
    return VisitFailed(what, "the pool of browsers failed", hint=hint)


def _crash(error: Exception) -> VisitFailed:
    """The failure of a page whose browser raised one of `CRASHED`."""
    if isinstance(error, RejectedError) and not has_gone(error):
        return rejection(error)
    return silence(BROWSER) if isinstance(error, NoAnswerError) else _DIED
