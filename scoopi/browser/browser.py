"""Browser: one Chromium with its driver; loads one page at a time and gives its rendered document."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.remote_connection import RemoteConnection
from urllib3.exceptions import HTTPError

from scoopi.browser.kept_pages import KeptPages
from scoopi.browser.page_actions import PageActions
from scoopi.browser.page_cookies import CookieJar
from scoopi.browser.page_document import DOCUMENT
from scoopi.browser.page_wait import PageWait, Traffic, VisitFailedError, named, with_dialogs_dismissed
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.browser.site_headers import SiteHeaders
from scoopi.configs.groups import BrowserSettings
from scoopi.descendants import kill_tree, memory_of_trees

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # a container's root has no user namespace to put it in; the page's process stays its own
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
)
_MEDIA = (
    "*/favicon.*",
    *(
        f"*.{ending}{rest}"
        for ending in (
            *("aac", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav"),
            *("m3u8", "m4v", "mov", "mp4", "mpd", "ogv", "webm"),
        )
        for rest in ("", "?*")
    ),
)
"""Patterns of addresses; what kind of file an address gives is not known before it is asked for."""
_WITHOUT_IMAGES = ("--blink-settings=imagesEnabled=false", "--disable-remote-fonts")
_PAGE = 200
_BLANK = "about:blank"
_NO_DOWNLOADS = 3
"""Of Chromium's setting: all of them are refused."""
_LEAST_S = 0.1
_POLL_S = 0.002
_ANSWER_S = 5.0
"""How long the driver may take to report the answer, after the page has loaded."""
DEATH = (WebDriverException, HTTPError, OSError)
"""What is raised when the browser or its driver has died."""
_NO_PAGE = VisitFailed(
    "the address is a file to be saved, not a page",
    "the address is a file to be saved, not a page",
    hint="leave out `loader: browser`",
)
_ABORTED = "net::ERR_ABORTED"
_NETWORK = (
    ("ERR_NAME_NOT_RESOLVED", "dns", "the host's name cannot be resolved"),
    ("ERR_CONNECTION_RESET", "reset", "the host has reset the connection"),
    ("ERR_EMPTY_RESPONSE", "reset", "the host has closed the connection without an answer"),
    ("ERR_CONNECTION", "connect", "the host refuses the connection or cannot be reached"),
    ("ERR_ADDRESS_UNREACHABLE", "connect", "the host refuses the connection or cannot be reached"),
    ("ERR_TIMED_OUT", "timeout", "the page did not come within its timeout"),
)


class Browser:
    """One Chromium with its driver, which loads one page at a time. Belongs to one thread, except `kill`.

    Args:
        profile: a folder of its own, for all that the browser keeps on disk.
        shots: the folder of screenshots; it is made for the first one.
        kept: keeps pages that fail.

    Attributes:
        pages: that it has loaded.
        first_mb: the memory that it had without a page after the first one; 0 before, set by its pool.

    Raises:
        WebDriverException: the driver or the browser does not start.
    """

    def __init__(self, settings: BrowserSettings, profile: Path, shots: Path, kept: KeptPages) -> None:
        options = webdriver.ChromeOptions()
        without = () if settings.images else _WITHOUT_IMAGES
        for argument in (*_ARGUMENTS, *without, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.enable_bidi = True
        options.set_capability("unhandledPromptBehavior", "ignore")  # an action may answer it
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option("prefs", {"download_restrictions": _NO_DOWNLOADS})
        options.binary_location = settings.binary
        service = Service(settings.driver, log_output=str(profile / "driver.log"))
        self._driver = webdriver.Chrome(options=options, service=service)
        executor = self._driver.command_executor
        assert isinstance(executor, RemoteConnection)
        # Selenium looks for the answer to each command on its socket ten times a second by default.
        executor.client_config.websocket_interval = _POLL_S
        assert service.process is not None
        self._pid = service.process.pid
        self._answer: Mapping[str, Any] | None = None
        self._answered = threading.Condition()
        self._driver.network.add_event_handler("response_completed", self._on_answer)
        self._blocked = () if settings.images else _MEDIA
        self._traffic = Traffic()
        self._is_watched = False
        self._waiting = PageWait(self._driver, self._traffic)
        self._actions = PageActions(self._driver, self._waiting, shots)
        self._cookies = CookieJar(self._driver)
        self._headers = SiteHeaders(self._driver)
        self._kept = kept
        self._context = ""
        self._tab = ""
        self.profile = profile
        self.pages = 0
        self.first_mb = 0

    def load(self, visit: Visit) -> Rendered | VisitFailed:
        """The page of one visit; cookies and storage of former ones are gone, but for those of its session.

        Raises:
            DEATH: the browser or its driver has died.
        """
        self.pages += 1
        begun, ends = time.time(), time.monotonic() + visit.timeout_s
        self._prepare(visit)
        self._driver.set_page_load_timeout(max(_LEAST_S, ends - time.monotonic()))
        try:
            self._driver.get(visit.url)
        except TimeoutException:
            return VisitFailed(
                "the page did not come within its timeout", "the page did not come in time", "timeout"
            )
        except WebDriverException as error:
            if _ABORTED in str(error.msg):  # as downloads are refused
                return _NO_PAGE
            failure = _network_failure(str(error.msg))
            if failure is None:
                raise
            return failure
        with_dialogs_dismissed(self._driver, lambda: self._driver.title)  # one would hold the answer up
        with self._answered:  # the driver reports it in a thread of its own, perhaps later
            self._answered.wait_for(lambda: self._answer is not None, _ANSWER_S)
            answer = self._answer or {}
        status = int(answer.get("status", _PAGE))
        is_file = not answer or _is_attachment(answer)  # of a download there may be no report
        if is_file and self._driver.current_url == _BLANK:
            return _NO_PAGE
        if status == _PAGE:
            try:
                self._complete(visit, ends)
            except VisitFailedError as error:
                kept = self._kept.keep(self._driver, visit.url, begun)
                return replace(error.failure, kept=kept)
        return self._rendered(visit, status, answer)

    def leave(self) -> None:
        """Close the page, which would use processor and memory until the next one comes.

        Raises:
            DEATH: the browser or its driver has died.
        """
        if self._context:
            self._driver.browser.remove_user_context(self._context)
            self._context = ""

    def windows(self) -> int:
        """How many windows and tabs are open; without a page there is one."""
        return len(self._driver.window_handles)

    def memory_mb(self) -> int:
        """What driver and browser use, with all their processes; callable from any thread."""
        return memory_of_trees([self._pid])[self._pid] >> 20

    def kill(self) -> None:
        """End driver and browser at once, as nothing of them is kept; callable from any thread."""
        kill_tree(self._pid)

    def _rendered(self, visit: Visit, status: int, answer: Mapping[str, Any]) -> Rendered:
        """What the page shows now."""
        driver = self._driver
        wanted = (visit.how.frames, visit.how.shadow)
        body: str = with_dialogs_dismissed(driver, lambda: driver.execute_script(DOCUMENT, *wanted))
        shown, cookies = driver.current_url, visit.cookies
        if cookies is not None:
            cookies = self._cookies.take((visit.url, shown), cookies, _header(visit, "cookie"))
        return Rendered(shown, body.encode(errors="replace"), status, _headers(answer), cookies)

    def _prepare(self, visit: Visit) -> None:
        """A new tab in a context of its own, which has no cookies and storage."""
        driver = self._driver
        if visit.how.is_idle_wanted:
            self._watch_traffic()
        self._traffic.clear()
        self.leave()
        self._context = driver.browser.create_user_context()
        self._tab = driver.browsing_context.create(type="tab", user_context=self._context)
        driver.switch_to.window(self._tab)
        hosts = [f"*://{host}{port}/*" for host in visit.how.block for port in ("", ":*")]
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": [*self._blocked, *hosts]})
        with self._answered:
            self._answer = None
        self._cookies.put(visit.url, visit.cookies or (), _header(visit, "cookie"))
        agent = _header(visit, "user-agent")
        if agent:
            driver.emulation.set_user_agent_override(user_agent=agent, contexts=[self._tab])
        self._headers.put(self._tab, visit.url, visit.headers)

    def _complete(self, visit: Visit, ends: float) -> None:
        """Do the actions of the definitions, then wait for what they name.

        Raises:
            VisitFailedError: an action cannot be done, or the page does not become complete.
        """
        how = visit.how
        self._actions.run(how.actions, visit.url, how.timeout_ms, ends)
        timeout_s = max(0.0, min(how.timeout_ms / 1000, ends - time.monotonic()))
        if not self._waiting.until(how.until, timeout_s):
            what = f"the page did not become complete within {timeout_s:g} s: {named(how.until)}"
            cause = "what `until` waits for did not come"
            raise VisitFailedError(VisitFailed(what, cause, hint="look at `until` of its group"))

    def _watch_traffic(self) -> None:
        """Have the driver report all requests; only pages that wait for silence need that."""
        if not self._is_watched:
            self._is_watched = True
            network, traffic = self._driver.network, self._traffic
            network.add_event_handler("before_request", lambda event: traffic.began(_request(event)))
            network.add_event_handler("response_completed", lambda event: traffic.ended(_request(event)))
            network.add_event_handler("fetch_error", lambda event: traffic.ended(_request(event)))

    def _on_answer(self, event: Any) -> None:
        """Note the answer to the tab's last navigation; called by the driver's thread."""
        if event.navigation is not None and event.context == self._tab:
            with self._answered:
                self._answer = event.response
                self._answered.notify()


def _header(visit: Visit, wanted: str) -> str:
    """A header of a visit; empty if it has none."""
    return next((value for name, value in visit.headers.items() if name.lower() == wanted), "")


def _is_attachment(answer: Mapping[str, Any]) -> bool:
    """Whether a browser does not show an answer, but saves it."""
    return _headers(answer).get("content-disposition", "").strip().lower().startswith("attachment")


def _headers(answer: Mapping[str, Any]) -> dict[str, str]:
    """The headers of an answer as the driver reports it, names in lower case."""
    return {each["name"].lower(): str(each["value"].get("value", "")) for each in answer.get("headers", ())}


def _request(event: Any) -> str:
    """What names the request of an event; a redirected one keeps its name."""
    request = event["request"] if isinstance(event, dict) else event.request
    return str(request["request"])


def _network_failure(message: str) -> VisitFailed | None:
    """The failure that a driver's message of a failed navigation stands for; None for any other."""
    if "net::" not in message:
        return None
    found = message.partition("net::")[2].split()[0].rstrip(")")
    for begin, reason, cause in _NETWORK:
        if found.startswith(begin):
            return VisitFailed(f"{cause} ({found})", cause, reason)
    return VisitFailed(f"the browser cannot load the page ({found})", "the browser cannot load the page")
