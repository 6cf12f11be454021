"""ChromiumTab: the tab of a visit in Chromium, isolated from earlier visits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.chromium.site_requests import SiteRequests
from scoopi.browser.liveness_probe import LinkRequest, PendingRequest
from scoopi.browser.page.navigation_responses import NavigationResponses
from scoopi.browser.page.page_wait import Traffic
from scoopi.browser.page.page_windows import PageWindows
from scoopi.browser.page.tab_cookies import CookieDicts, TabCookies
from scoopi.browser.pool_messages import Visit
from scoopi.browser.protocol.protocol_link import Command, ProtocolLink
from scoopi.browser.protocol.rejected_commands import RejectedCommands
from scoopi.browser.started import Ask, allow

_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_PARTS = {**_ATTACH, "filter": [{"type": kind, "exclude": False} for kind in ("iframe", "worker")]}
"""Of a page: its frames that have a process of their own, and its workers. Chromium stops a worker at its
start even if the filter leaves it out, and then nothing lets it run."""
_WORKER, _SERVICE = "worker", "service_worker"
_SHARED = (_SERVICE, "shared_worker")
_WINDOWS = {**_ATTACH, "filter": [{"type": kind, "exclude": False} for kind in ("page", *_SHARED)]}
_STORAGE = (
    *("cookies", "local_storage", "indexeddb", "cache_storage", "service_workers", "file_systems"),
    *("shared_storage", "interest_groups"),
)
_ALL_STORAGE = {"origin": "*", "storageTypes": ",".join(_STORAGE)}
"""All that a page can read again; `all` would empty the cache of compiled shaders, too, which takes longer
than everything else together."""
_DOWN = frozenset({"Network.loadingFinished", "Network.loadingFailed"})


class ChromiumTab:
    """The tab of a visit in Chromium, isolated from earlier visits.

    It is in a browser context of its own, without cookies and storage. Creating one takes several times as
    long as a small page, so the tab of a page that left nothing behind is reused. Belongs to the browser's
    thread.

    Args:
        driver: the browser's driver.
        link: the connection to the browser over its own protocol.
        media: patterns of addresses that are not loaded.
    Attributes:
        cookies: the cookies of the tab.
        responses: those to the navigations of this visit.
        traffic: requests of this visit that are in progress.
        opened: the windows that the page of this visit has opened.
        was_used: whether the tab is reused: it has shown another page before.
        rejected: the commands of this visit that the browser has rejected.
    """

    def __init__(self, driver: WebDriver, link: ProtocolLink, media: tuple[str, ...]) -> None:
        self._driver = driver
        self._link = link
        self._media = media
        self._context = ""
        self._tab = ""
        self._session = ""
        self._frames: list[str] = []
        self._service_workers: list[str] = []
        self.rejected = RejectedCommands()
        self._requests = SiteRequests(link, self.rejected, images=not media)
        self._rules: tuple[tuple[str, ...], str] | None = None
        self._urls: set[str] = set()
        self._is_spare = False
        self._windows: dict[str, str] = {}
        self.cookies = TabCookies(
            self._add_cookies, lambda: list(self._call("Network.getAllCookies")["cookies"])
        )
        self.responses = NavigationResponses()
        self.traffic = Traffic()
        self.opened = PageWindows()
        self.was_used = False
        link.listen("", self._on_window)
        link.call("Target.setAutoAttach", _WINDOWS)

    def open(self, visit: Visit, ask: Ask = allow) -> None:
        """Open an empty tab for a visit, with the cookies of its session.

        Raises:
            RejectedError: the browser rejects a setting for the page's requests.
            WebDriverException: it does not answer.
        """
        self.rejected.clear()
        self.was_used = self._is_spare and visit.url not in self._urls
        if self.was_used:
            self._call("Storage.clearDataForOrigin", _ALL_STORAGE)
            self._forget(self._service_workers)  # they have ended with the storage
        else:
            self.close()
            self._create()
        self._is_spare = False
        self._urls.add(visit.url)
        self.traffic.clear()
        self.responses.clear()
        self.opened.begin(self._tab, visit.how)
        self._requests.begin(visit, self._tab, ask)
        agent = visit.header("user-agent")
        rules = (visit.how.block, agent)
        commands = self._rule_commands(visit.how.block, agent) if rules != self._rules else []
        self._rules = rules
        self._link.call_all([*commands, *self._requests.watch(self._session)], self._session)
        self.cookies.put(visit.url, visit.cookies or (), visit.header("cookie"))

    def keep(self, is_spare: bool) -> None:
        """Note whether the tab can be reused.

        Args:
            is_spare: whether its page has left nothing behind but storage.
        """
        self._is_spare = is_spare and not self._frames and len(self.responses) == 1 and self.windows() == 2

    def interrupt(self) -> bool:
        """End the script that the current window runs now, without waiting; callable from any thread.

        Returns:
            True, as Chromium can do that.
        """
        session = self._current()
        self._link.post("Runtime.terminateExecution", {}, session)
        self._link.post("Runtime.evaluate", {"expression": "0"}, session)  # ended instead if none runs
        return True

    def ask(self) -> PendingRequest:
        """Ask the browser for something that it answers at once, whatever its pages do; for any thread."""
        return LinkRequest(self._link, "Browser.getVersion")

    def close(self) -> None:
        """Close the page and the windows that it has opened.

        Raises:
            WebDriverException: the browser does not answer.
        """
        if not self._context:
            return
        self._forget([self._session], self._frames, self._service_workers)
        self._link.call("Target.disposeBrowserContext", {"browserContextId": self._context})
        self._context = ""
        self._is_spare = False
        self._windows.clear()
        self._urls.clear()

    def windows(self) -> int:
        """Return the number of open windows and tabs; without a page, it is 1."""
        targets = self._link.call("Target.getTargets")["targetInfos"]
        return sum(each["type"] == "page" for each in targets)

    def console(self) -> list[dict[str, Any]]:
        """Return the page's messages in the console, each with a `timestamp` in ms."""
        return list(self._driver.execute("getLog", {"type": "browser"})["value"])

    def _forget(self, *kinds: list[str]) -> None:
        """Forget the sessions of parts that have ended; the lists are emptied."""
        for sessions in kinds:
            self._link.forget(*sessions)
            self._requests.forget(*sessions)
            sessions.clear()

    def _current(self) -> str:
        """The session of the current window."""
        return self._windows.get(self.opened.current, self._session)

    def _add_cookies(self, cookies: CookieDicts) -> None:
        self._call("Network.setCookies", {"cookies": cookies})

    def _create(self) -> None:
        call = self._link.call
        self._context = call("Target.createBrowserContext", {"disposeOnDetach": True})["browserContextId"]
        wanted = {"url": "about:blank", "browserContextId": self._context}
        self._tab = call("Target.createTarget", wanted)["targetId"]
        attached = call("Target.attachToTarget", {"targetId": self._tab, "flatten": True})
        self._session, self._rules = attached["sessionId"], None
        self._link.listen(self._session, self._on_event)
        self._link.call_all([("Target.setAutoAttach", _PARTS), ("Network.enable", {})], self._session)
        self._driver.switch_to.window(self._tab)

    def _rule_commands(self, block: tuple[str, ...], agent: str) -> list[Command]:
        """What holds for all requests of a page, or of a frame that has a process of its own."""
        hosts = [f"*://{host}{port}/*" for host in block for port in ("", ":*")]
        return [
            ("Network.setBlockedURLs", {"urls": [*self._media, *hosts]}),
            ("Network.setUserAgentOverride", {"userAgent": agent}),
        ]

    def _call(self, method: str, params: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        return self._link.call(method, params, self._session)

    def _on_event(self, name: str, event: Mapping[str, Any], session: str = "") -> None:
        """Note what the browser reports of the tab or of a frame; runs in the connection's thread."""
        if name == "Network.requestWillBeSent":
            self.traffic.began(event["requestId"])
        elif name in _DOWN:
            self.traffic.ended(event["requestId"])
        elif name == "Network.responseReceived":
            if event["type"] == "Document":
                self._note(event.get("frameId", ""), event["response"])
        elif name == "Fetch.requestPaused":
            self._requests.take(session or self._session, event)
        elif name == "Target.attachedToTarget":
            self._attach(event["sessionId"], event["targetInfo"]["type"])

    def _note(self, frame: str, answer: Mapping[str, Any]) -> None:
        responses = self.responses if frame == self._tab else self.opened.responses_of(frame)
        if responses is not None:
            responses.note(answer["url"], answer["status"], answer["headers"])

    def _on_window(self, name: str, event: Mapping[str, Any]) -> None:
        """Let a new tab, or a worker that tabs share, begin; runs in the connection's thread."""
        if name != "Target.attachedToTarget":
            return
        session, target = str(event["sessionId"]), event["targetInfo"]
        if target["type"] in _SHARED:
            self._attach(session, target["type"])
            return
        if not target.get("openerId"):
            self._link.post("Runtime.runIfWaitingForDebugger", {}, session)
            return
        window = str(target["targetId"])
        self._windows[window] = session
        is_loaded = self.opened.add(window)
        self._requests.add_window(session, window, is_empty=not is_loaded)
        self._attach(session, target["type"])
        self._link.post("Page.bringToFront", {}, self._current())  # a page behind another draws nothing

    def _attach(self, session: str, kind: str) -> None:
        """Have a frame with a process of its own, a worker or a window do as the page does, from its start.

        A service worker is part of the page's storage, and removed with that. What a worker of the page asks
        for is paused with the requests of the page.
        """
        (self._service_workers if kind == _SERVICE else self._frames).append(session)
        self._link.listen(session, partial(self._on_event, session=session))
        block, agent = self._rules or ((), "")
        commands: list[Command] = [("Target.setAutoAttach", _PARTS), ("Network.enable", {})]
        commands += self._rule_commands(block, agent)
        commands += [] if kind == _WORKER else self._requests.watch(session)
        for method, params in commands:
            self._link.post(method, params, session, self.rejected.note)
        self._link.post("Runtime.runIfWaitingForDebugger", {}, session)
