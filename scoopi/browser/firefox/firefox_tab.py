"""FirefoxTab: the tab of a visit in Firefox, isolated from earlier visits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.liveness_probe import LinkRequest, PendingRequest
from scoopi.browser.page.navigation_responses import NavigationResponses
from scoopi.browser.page.page_wait import Traffic
from scoopi.browser.page.page_windows import PageWindows
from scoopi.browser.page.request_rules import RequestRules, has_media_ending
from scoopi.browser.page.tab_cookies import CookieDicts, TabCookies
from scoopi.browser.pool_messages import Visit
from scoopi.browser.protocol.protocol_link import ProtocolLink
from scoopi.browser.protocol.rejected_commands import RejectedCommands
from scoopi.browser.started import Ask, allow

_DOWNLOAD, _CONSOLE = "browsingContext.downloadWillBegin", "log.entryAdded"
_REQUEST, _ANSWERED, _FAILED = (
    "network.beforeRequestSent",
    "network.responseCompleted",
    "network.fetchError",
)
_OPENED = "browsingContext.contextCreated"
_EVENTS = (_REQUEST, _ANSWERED, _FAILED, _DOWNLOAD, _CONSOLE, _OPENED)
_MEDIA = frozenset({"audio", "video", "font", "image", "track"})
"""What kinds of requests are for, as the browser says."""
_MOST_LINES = 1000


class FirefoxTab:
    """The tab of a visit in Firefox, in a browser context of its own. Belongs to the browser's thread.

    Args:
        driver: the browser's driver.
        link: the connection to the browser over its own protocol.
        images: whether to load images, fonts and media.
    Attributes:
        cookies: the cookies of the tab.
        responses: those to the navigations of this visit.
        traffic: requests of this visit that are in progress.
        opened: the windows that the page of this visit has opened.
        was_used: always False, as a new tab costs little in Firefox.
        rejected: the commands of this visit that the browser has rejected.
    """

    was_used = False

    def __init__(self, driver: WebDriver, link: ProtocolLink, images: bool) -> None:
        self._driver = driver
        self._link = link
        self._images = images
        self._context = ""
        self._tab = ""
        self._rules = RequestRules()
        self._console: list[dict[str, Any]] = []
        self.cookies = TabCookies(self._add_cookies, self._cookies)
        self.responses = NavigationResponses()
        self.traffic = Traffic()
        self.opened = PageWindows()
        self.rejected = RejectedCommands()
        link.listen("", self._on_event)
        link.call("session.subscribe", {"events": _EVENTS})
        link.call("browser.setDownloadBehavior", {"downloadBehavior": {"type": "denied"}})
        link.call("network.addIntercept", {"phases": ["beforeRequestSent"]})

    def open(self, visit: Visit, ask: Ask = allow) -> None:
        """Open an empty tab for a visit, with the cookies of its session.

        Raises:
            RejectedError: the browser rejects a setting for the page's requests.
            WebDriverException: it does not answer.
        """
        call = self._link.call
        self.close()
        self.rejected.clear()
        self.traffic.clear()
        self.responses.clear()
        self._console.clear()
        self._rules.begin(visit, ask)
        self._context = call("browser.createUserContext")["userContext"]
        made = call("browsingContext.create", {"type": "tab", "userContext": self._context})
        self._tab = made["context"]
        self.opened.begin(self._tab, visit.how)
        agent = visit.header("user-agent")
        if agent:
            call("emulation.setUserAgentOverride", {"userAgent": agent, "userContexts": [self._context]})
        self.cookies.put(visit.url, visit.cookies or (), visit.header("cookie"))
        self._driver.switch_to.window(self._tab)

    def keep(self, is_spare: bool) -> None:
        """Do nothing: the next visit gets a new tab in any case."""

    def interrupt(self) -> bool:
        """Return False: Firefox has no command that ends a script."""
        return False

    def ask(self) -> PendingRequest:
        """Ask the browser for something that it answers at once, whatever its pages do; for any thread."""
        return LinkRequest(self._link, "session.status")

    def close(self) -> None:
        """Close the page and the windows that it has opened.

        Raises:
            WebDriverException: the browser does not answer.
        """
        if self._context:
            self._link.call("browser.removeUserContext", {"userContext": self._context})
            self._context = ""

    def console(self) -> list[dict[str, Any]]:
        """Return the page's messages in the console, each with a `timestamp` in ms."""
        return list(self._console)

    def windows(self) -> int:
        """Return the number of open windows and tabs; without a page, it is 1."""
        return len(self._driver.window_handles)

    def _on_event(self, name: str, event: Mapping[str, Any]) -> None:
        """Note what the browser reports; runs in the connection's thread."""
        if name == _DOWNLOAD:
            if event["context"] == self._tab and len(self.responses) <= 1:
                self._leave()
        elif name == _CONSOLE:
            if len(self._console) < _MOST_LINES:
                line = {"level": event["level"], "message": event.get("text")}
                self._console.append({**line, "timestamp": event["timestamp"]})
        elif name == _OPENED:
            if event["parent"] is None and event.get("originalOpener") is not None:
                self.opened.add(event["context"])
                # A page behind another draws nothing.
                self._link.post("browsingContext.activate", {"context": self.opened.current})
        elif name == _REQUEST:
            self.traffic.began(event["request"]["request"])
            if event["isBlocked"]:
                self._hold(event)
        else:
            self.traffic.ended(event["request"]["request"])
            if name == _ANSWERED and event.get("navigation") is not None:
                self._note(event["context"], event["response"])

    def _note(self, context: str, answer: Mapping[str, Any]) -> None:
        responses = self.responses if context == self._tab else self.opened.responses_of(context)
        if responses is None:
            return
        headers = {each["name"]: str(each["value"].get("value", "")) for each in answer["headers"]}
        if "location" not in {name.lower() for name in headers} or answer["status"] // 100 != 3:
            responses.note(answer["url"], answer["status"], headers)

    def _is_page(self, event: Mapping[str, Any]) -> bool:
        return event.get("navigation") is not None and event["context"] == self._tab

    def _is_window(self, event: Mapping[str, Any]) -> bool:
        """Whether an event is about the page of a window that the page has opened."""
        return event.get("navigation") is not None and self.opened.responses_of(event["context"]) is not None

    def _hold(self, event: Mapping[str, Any]) -> None:
        url, is_page = str(event["request"]["url"]), self._is_page(event)
        is_window = self._is_window(event)
        is_subresource = not is_page and not is_window
        is_refused = is_subresource and (self._rules.is_blocked(url) or self._is_media(event["request"], url))
        if is_refused or not self.opened.is_loaded(event["context"]):
            self._end(event, None)
        else:
            self._rules.rule(url, is_page, partial(self._end, event), is_window)

    def _end(self, event: Mapping[str, Any], extra: Mapping[str, str] | None) -> None:
        asked = event["request"]
        wanted: dict[str, Any] = {"request": asked["request"]}
        if extra is None:
            self._fail(asked["request"])
            return
        if extra:
            own = [each for each in asked["headers"] if each["name"].lower() not in extra]
            added = [
                {"name": name, "value": {"type": "string", "value": text}} for name, text in extra.items()
            ]
            wanted["headers"] = own + added
        on_rejected = self.rejected.noting(partial(self._give_up, event))
        self._link.post("network.continueRequest", wanted, on_rejected=on_rejected)

    def _give_up(self, event: Mapping[str, Any]) -> None:
        """End a request that cannot continue; else the page would wait for it until its time is over."""
        self._fail(event["request"]["request"])
        if self._is_page(event):
            self._leave()

    def _leave(self) -> None:
        """Leave an address that gives no page, as a refused download; the driver would wait for it."""
        wanted = {"context": self._tab, "url": "about:blank", "wait": "none"}
        self._link.post("browsingContext.navigate", wanted)

    def _fail(self, request: str) -> None:
        self._link.post("network.failRequest", {"request": request}, on_rejected=self.rejected.note)

    def _is_media(self, asked: Mapping[str, Any], url: str) -> bool:
        return not self._images and (asked.get("destination") in _MEDIA or has_media_ending(url))

    def _add_cookies(self, cookies: CookieDicts) -> None:
        partition = {"type": "storageKey", "userContext": self._context}
        for each in cookies:
            cookie = {
                "name": each["name"],
                "value": {"type": "string", "value": each["value"]},
                "domain": each.get("domain") or urlsplit(each["url"]).hostname,
                "path": each["path"],
                "secure": each.get("secure", False),
                "httpOnly": each.get("httpOnly", False),
            }
            if "expires" in each:
                cookie["expiry"] = each["expires"]
            self._link.call("storage.setCookie", {"cookie": cookie, "partition": partition})

    def _cookies(self) -> CookieDicts:
        partition = {"type": "storageKey", "userContext": self._context}
        found = self._link.call("storage.getCookies", {"partition": partition})["cookies"]
        return [_as_chromium(each) for each in found]


def _as_chromium(cookie: dict[str, Any]) -> dict[str, Any]:
    """A cookie as Chromium's own protocol describes it."""
    end = {"session": "expiry" not in cookie, "expires": cookie.get("expiry", 0)}
    return {**cookie, **end, "value": cookie["value"]["value"]}
