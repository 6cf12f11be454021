"""FirefoxTab: what it asks the browser for, and what it makes of its events; without a browser."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.firefox.firefox_tab import FirefoxTab
from scoopi.browser.pool_messages import PartWanted, Visit
from scoopi.browser.protocol.protocol_link import OnEvent, OnRejected, ProtocolLink, RejectedError, ignore
from scoopi.model.definitions import ActionDef, BrowserDef

SITE = "https://site.example/page"
SID = "site.example\tFALSE\t/\tTRUE\t0\tsid\t1"
KEPT = ".site.example\tTRUE\t/a\tFALSE\t2000000000\tkept\t2"
REQUEST, ANSWERED, FAILED = "network.beforeRequestSent", "network.responseCompleted", "network.fetchError"


class PlayedLink:
    """Notes what the browser is asked for; rejects the commands that the test names."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.posts: list[tuple[str, Mapping[str, Any]]] = []
        self.rejects: set[str] = set()
        self.cookies: list[dict[str, Any]] = []
        self.on_event: OnEvent = lambda name, event: None
        self._contexts = 0

    def listen(self, session: str, on_event: OnEvent) -> None:
        assert session == ""
        self.on_event = on_event

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        self.calls.append((method, params or {}))
        if method == "browser.createUserContext":
            self._contexts += 1
            return {"userContext": f"user{self._contexts}"}
        if method == "browsingContext.create":
            return {"context": f"tab{self._contexts}"}
        return {"cookies": self.cookies} if method == "storage.getCookies" else {}

    def post(self, method: str, params: Mapping[str, Any], on_rejected: OnRejected = ignore) -> None:
        self.posts.append((method, params))
        if method in self.rejects:
            on_rejected(RejectedError(method, "invalid argument", "a header"))

    def called(self, method: str) -> list[Mapping[str, Any]]:
        return [params for name, params in self.calls if name == method]


class Desk:
    """A tab with a visit."""

    def __init__(self, images: bool = False) -> None:
        self.link = PlayedLink()
        self.shown: list[str] = []
        driver = SimpleNamespace(
            switch_to=SimpleNamespace(window=self.shown.append), window_handles=["a", "b"]
        )
        self.tab = FirefoxTab(cast(WebDriver, driver), cast(ProtocolLink, self.link), images)

    def open(
        self, how: BrowserDef | None = None, cookies: tuple[str, ...] | None = None, **headers: str
    ) -> None:
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.tab.open(Visit(SITE, headers, 30.0, how or BrowserDef(), cookies))

    def request(
        self, url: str = SITE, context: str = "tab1", is_page: bool = True, **more: Any
    ) -> tuple[str, Mapping[str, Any]]:
        """What becomes of a request that waits for a decision."""
        asked = {"request": "r1", "url": url, "headers": [{"name": "Accept", "value": {}}], **more}
        navigation = "n1" if is_page else None
        event = {"request": asked, "isBlocked": True, "context": context, "navigation": navigation}
        self.link.on_event(REQUEST, event)
        return self.link.posts[-1]

    def answer(self, url: str, status: int = 200, context: str = "tab1", **headers: str) -> None:
        lines = [{"name": name, "value": {"type": "string", "value": text}} for name, text in headers.items()]
        response = {"url": url, "status": status, "headers": lines}
        event = {"request": {"request": "r1"}, "context": context, "navigation": "n1", "response": response}
        self.link.on_event(ANSWERED, event)

    def window(self, handle: str, opener: str | None = "tab1", parent: str | None = None) -> None:
        event = {"context": handle, "parent": parent, "originalOpener": opener}
        self.link.on_event("browsingContext.contextCreated", event)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_each_visit_has_a_context_of_its_own_which_is_removed_once(desk: Desk) -> None:
    desk.open(User_Agent="test/1")
    desk.open()
    assert desk.shown == ["tab1", "tab2"]
    assert desk.link.called("browser.removeUserContext") == [{"userContext": "user1"}]
    agents = [{"userAgent": "test/1", "userContexts": ["user1"]}]
    assert desk.link.called("emulation.setUserAgentOverride") == agents, "the second visit has none"
    desk.tab.close()
    desk.tab.close()
    assert desk.link.called("browser.removeUserContext")[1:] == [{"userContext": "user2"}]


def test_nothing_is_downloaded_and_each_request_waits_for_a_decision(desk: Desk) -> None:
    assert desk.link.called("browser.setDownloadBehavior") == [{"downloadBehavior": {"type": "denied"}}]
    assert desk.link.called("network.addIntercept") == [{"phases": ["beforeRequestSent"]}]
    (subscribed,) = desk.link.called("session.subscribe")
    assert {REQUEST, ANSWERED, FAILED} < set(subscribed["events"])


def test_a_visit_knows_nothing_of_the_one_before(desk: Desk) -> None:
    desk.open()
    desk.link.on_event("log.entryAdded", {"level": "info", "text": "hello", "timestamp": 5})
    desk.answer(SITE)
    desk.window("w1")
    desk.request(is_page=False)
    desk.open()
    assert (desk.tab.console(), len(desk.tab.answers), len(desk.tab.opened)) == ([], 0, 0)
    assert desk.tab.traffic.is_idle(0.0)


def test_requests_to_the_site_get_its_headers_in_place_of_the_browsers_own(desk: Desk) -> None:
    desk.open(Accept="text/html", X_Key="secret")
    method, params = desk.request()
    assert method == "network.continueRequest"
    assert params["headers"] == [
        {"name": "accept", "value": {"type": "string", "value": "text/html"}},
        {"name": "x-key", "value": {"type": "string", "value": "secret"}},
    ]
    _, elsewhere = desk.request("https://other.example/a.js", is_page=False)
    assert "headers" not in elsewhere, "they may be credentials"


@pytest.mark.parametrize("images", [True, False])
@pytest.mark.parametrize("more", [{"destination": "image"}, {"url": "https://site.example/film.mp4"}])
def test_media_are_loaded_only_if_they_are_wanted(images: bool, more: dict[str, Any]) -> None:
    desk = Desk(images)
    desk.open()
    method, _ = desk.request(is_page=False, **more)
    assert method == ("network.continueRequest" if images else "network.failRequest")
    method, _ = desk.request(**more)
    assert method == "network.continueRequest", "a page is never taken for media"


def test_blocked_hosts_are_not_asked_for_parts_of_a_page(desk: Desk) -> None:
    desk.open(BrowserDef(block=("*.ads.example",)))
    assert desk.request("https://x.ads.example/a.js", is_page=False)[0] == "network.failRequest"
    assert desk.request("https://x.ads.example/a.js")[0] == "network.continueRequest"


def test_a_request_that_the_browser_does_not_stop_is_only_counted(desk: Desk) -> None:
    desk.open()
    event = {"request": {"request": "r1", "url": SITE}, "isBlocked": False}
    desk.link.on_event(REQUEST, event)
    assert (desk.link.posts, desk.tab.traffic.is_idle(0.0)) == ([], False)
    desk.link.on_event(FAILED, {"request": {"request": "r1"}})
    assert (desk.tab.traffic.is_idle(0.0), len(desk.tab.answers)) == (True, 0)


@pytest.mark.parametrize(("is_page", "left"), [(True, ["browsingContext.navigate"]), (False, [])])
def test_a_request_whose_headers_the_browser_rejects_fails_and_so_does_the_visit(
    desk: Desk, is_page: bool, left: list[str]
) -> None:
    desk.link.rejects.add("network.continueRequest")
    desk.open()
    desk.request(is_page=is_page)
    assert [name for name, _ in desk.link.posts] == ["network.continueRequest", "network.failRequest", *left]
    failure = desk.tab.rejected.failure()
    assert failure is not None
    assert failure.hint == "look at `headers` of its site"


def test_a_page_whose_grant_is_denied_is_not_requested(desk: Desk) -> None:
    asked: list[PartWanted] = []

    def deny(wanted: PartWanted, on_grant: Any) -> None:
        asked.append(wanted)
        on_grant(False)

    desk.tab.open(Visit(SITE, {}, 30.0, BrowserDef()), deny)
    assert desk.request()[0] == "network.continueRequest", "the first page has its grant"
    assert desk.request(f"{SITE}/2")[0] == "network.failRequest"
    assert [wanted.url for wanted in asked] == [f"{SITE}/2"]


@pytest.mark.parametrize(
    ("context", "pages", "is_left"),
    [("tab1", 0, True), ("tab1", 1, True), ("tab1", 2, False), ("w1", 0, False)],
)
def test_an_address_that_gives_a_download_instead_of_a_page_is_left(
    desk: Desk, context: str, pages: int, is_left: bool
) -> None:
    desk.open()
    for number in range(pages):
        desk.answer(f"{SITE}{number}")
    desk.link.on_event("browsingContext.downloadWillBegin", {"context": context})
    left = [("browsingContext.navigate", {"context": "tab1", "url": "about:blank", "wait": "none"})]
    assert desk.link.posts == (left if is_left else [])


def test_the_messages_of_a_page_are_kept_up_to_a_bound(desk: Desk) -> None:
    desk.open()
    for number in range(1001):
        desk.link.on_event("log.entryAdded", {"level": "info", "text": str(number), "timestamp": number})
    console = desk.tab.console()
    assert console[0] == {"level": "info", "message": "0", "timestamp": 0}
    assert [line["message"] for line in console] == [*map(str, range(1000))]


def test_answers_are_noted_without_redirects_for_the_window_that_they_came_to(desk: Desk) -> None:
    desk.open()
    desk.window("w1")
    desk.answer(SITE, 302, location="/b")
    desk.answer(f"{SITE}/b", 200, location="/no-redirect")
    desk.answer(f"{SITE}/304", 304)
    desk.answer("https://other.example/", context="w1")
    desk.answer("https://unknown.example/", context="w2")
    assert len(desk.tab.answers) == 2
    newest = desk.tab.answers.newest(0)
    assert newest is not None
    assert (newest.url, newest.status) == (f"{SITE}/304", 304)
    of_window = desk.tab.opened.answers_of("w1")
    assert of_window is not None
    assert len(of_window) == 1


def test_only_windows_that_the_page_has_opened_are_its_own_and_it_stays_in_front(desk: Desk) -> None:
    desk.open()
    desk.window("frame", parent="tab1")
    desk.window("other", opener=None)
    assert (len(desk.tab.opened), desk.link.posts) == (0, [])
    desk.window("w1")
    assert len(desk.tab.opened) == 1
    assert desk.link.posts == [("browsingContext.activate", {"context": "tab1"})]


@pytest.mark.parametrize("is_read", [True, False])
def test_a_window_gets_its_page_only_if_the_definitions_continue_in_it(desk: Desk, is_read: bool) -> None:
    actions = (ActionDef("window", "taskGroups.a.browser.actions[0]", text="new"),) if is_read else ()
    desk.open(BrowserDef(actions=actions))
    desk.window("w1")
    method, _ = desk.request("https://site.example/window", context="w1")
    assert method == ("network.continueRequest" if is_read else "network.failRequest")


def test_the_cookies_of_a_session_go_into_the_context_of_the_visit(desk: Desk) -> None:
    desk.open(cookies=(SID, KEPT), Cookie="own=3")
    partition = {"type": "storageKey", "userContext": "user1"}
    put = desk.link.called("storage.setCookie")
    assert [each["partition"] for each in put] == [partition] * 3
    sid, kept, own = (each["cookie"] for each in put)
    assert sid == {
        "name": "sid",
        "value": {"type": "string", "value": "1"},
        "domain": "site.example",
        "path": "/",
        "secure": True,
        "httpOnly": False,
    }
    assert (kept["domain"], kept["path"], kept["expiry"]) == (".site.example", "/a", 2_000_000_000)
    assert (own["domain"], own["secure"], "expiry" in own) == ("site.example", False, False)


def test_the_cookies_of_a_visit_are_those_of_its_context(desk: Desk) -> None:
    desk.open()
    of_all = {"domain": "site.example", "path": "/", "secure": True, "httpOnly": True}
    desk.link.cookies = [
        {"name": "sid", "value": {"type": "string", "value": "1"}, **of_all},
        {"name": "kept", "value": {"type": "string", "value": "2"}, "expiry": 2_000_000_000, **of_all},
    ]
    taken = desk.tab.cookies.take((SITE,), ())
    assert taken == tuple(
        f"#HttpOnly_site.example\tFALSE\t/\tTRUE\t{end}" for end in ("0\tsid\t1", "2000000000\tkept\t2")
    )
    assert desk.link.called("storage.getCookies") == [
        {"partition": {"type": "storageKey", "userContext": "user1"}}
    ]


def test_it_cannot_be_interrupted_and_is_never_used_twice(desk: Desk) -> None:
    desk.open()
    desk.tab.keep(True)
    assert not desk.tab.interrupt()
    assert not desk.tab.was_used
    assert desk.tab.windows() == 2
    desk.open()
    assert desk.shown == ["tab1", "tab2"]
