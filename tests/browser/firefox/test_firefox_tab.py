"""FirefoxTab: what it asks the browser for, and what it makes of its events; without a browser."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.firefox.firefox_tab import FirefoxTab
from scoopi.browser.pool_messages import PartRequested, Visit
from scoopi.browser.protocol.protocol_link import OnEvent, OnRejected, ProtocolLink, RejectedError, ignore
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef

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


class Harness:
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
def harness() -> Harness:
    return Harness()


def test_each_visit_has_a_context_of_its_own_which_is_removed_once(harness: Harness) -> None:
    harness.open(User_Agent="test/1")
    harness.open()
    assert harness.shown == ["tab1", "tab2"]
    assert harness.link.called("browser.removeUserContext") == [{"userContext": "user1"}]
    agents = [{"userAgent": "test/1", "userContexts": ["user1"]}]
    assert harness.link.called("emulation.setUserAgentOverride") == agents, "the second visit has none"
    harness.tab.close()
    harness.tab.close()
    assert harness.link.called("browser.removeUserContext")[1:] == [{"userContext": "user2"}]


def test_nothing_is_downloaded_and_each_request_waits_for_a_decision(harness: Harness) -> None:
    assert harness.link.called("browser.setDownloadBehavior") == [{"downloadBehavior": {"type": "denied"}}]
    assert harness.link.called("network.addIntercept") == [{"phases": ["beforeRequestSent"]}]
    (subscribed,) = harness.link.called("session.subscribe")
    assert {REQUEST, ANSWERED, FAILED} < set(subscribed["events"])


def test_a_visit_knows_nothing_of_the_one_before(harness: Harness) -> None:
    harness.open()
    harness.link.on_event("log.entryAdded", {"level": "info", "text": "hello", "timestamp": 5})
    harness.answer(SITE)
    harness.window("w1")
    harness.request(is_page=False)
    harness.open()
    assert (harness.tab.console(), len(harness.tab.responses), len(harness.tab.opened)) == ([], 0, 0)
    assert harness.tab.traffic.is_idle(0.0)


def test_requests_to_the_site_get_its_headers_in_place_of_the_browsers_own(harness: Harness) -> None:
    harness.open(Accept="text/html", X_Key="secret")
    method, params = harness.request()
    assert method == "network.continueRequest"
    assert params["headers"] == [
        {"name": "accept", "value": {"type": "string", "value": "text/html"}},
        {"name": "x-key", "value": {"type": "string", "value": "secret"}},
    ]
    _, elsewhere = harness.request("https://other.example/a.js", is_page=False)
    assert "headers" not in elsewhere, "they may be credentials"


@pytest.mark.parametrize("images", [True, False])
@pytest.mark.parametrize("more", [{"destination": "image"}, {"url": "https://site.example/film.mp4"}])
def test_media_are_loaded_only_if_they_are_wanted(images: bool, more: dict[str, Any]) -> None:
    harness = Harness(images)
    harness.open()
    method, _ = harness.request(is_page=False, **more)
    assert method == ("network.continueRequest" if images else "network.failRequest")
    method, _ = harness.request(**more)
    assert method == "network.continueRequest", "a page is never taken for media"


def test_blocked_hosts_are_not_asked_for_parts_of_a_page(harness: Harness) -> None:
    harness.open(BrowserDef(block=("*.ads.example",)))
    assert harness.request("https://x.ads.example/a.js", is_page=False)[0] == "network.failRequest"
    assert harness.request("https://x.ads.example/a.js")[0] == "network.continueRequest"


def test_a_request_that_the_browser_does_not_stop_is_only_counted(harness: Harness) -> None:
    harness.open()
    event = {"request": {"request": "r1", "url": SITE}, "isBlocked": False}
    harness.link.on_event(REQUEST, event)
    assert (harness.link.posts, harness.tab.traffic.is_idle(0.0)) == ([], False)
    harness.link.on_event(FAILED, {"request": {"request": "r1"}})
    assert (harness.tab.traffic.is_idle(0.0), len(harness.tab.responses)) == (True, 0)


@pytest.mark.parametrize(("is_page", "left"), [(True, ["browsingContext.navigate"]), (False, [])])
def test_a_request_whose_headers_the_browser_rejects_fails_and_so_does_the_visit(
    harness: Harness, is_page: bool, left: list[str]
) -> None:
    harness.link.rejects.add("network.continueRequest")
    harness.open()
    harness.request(is_page=is_page)
    assert [name for name, _ in harness.link.posts] == [
        "network.continueRequest",
        "network.failRequest",
        *left,
    ]
    failure = harness.tab.rejected.failure()
    assert failure is not None
    assert failure.hint == "look at `headers` of its site"


def test_a_page_whose_grant_is_denied_is_not_requested(harness: Harness) -> None:
    asked: list[PartRequested] = []

    def deny(wanted: PartRequested, on_grant: Any) -> None:
        asked.append(wanted)
        on_grant(False)

    harness.tab.open(Visit(SITE, {}, 30.0, BrowserDef()), deny)
    assert harness.request()[0] == "network.continueRequest", "the first page has its grant"
    assert harness.request(f"{SITE}/2")[0] == "network.failRequest"
    assert [wanted.url for wanted in asked] == [f"{SITE}/2"]


@pytest.mark.parametrize(
    ("context", "pages", "is_left"),
    [("tab1", 0, True), ("tab1", 1, True), ("tab1", 2, False), ("w1", 0, False)],
)
def test_an_address_that_gives_a_download_instead_of_a_page_is_left(
    harness: Harness, context: str, pages: int, is_left: bool
) -> None:
    harness.open()
    for number in range(pages):
        harness.answer(f"{SITE}{number}")
    harness.link.on_event("browsingContext.downloadWillBegin", {"context": context})
    left = [("browsingContext.navigate", {"context": "tab1", "url": "about:blank", "wait": "none"})]
    assert harness.link.posts == (left if is_left else [])


def test_the_messages_of_a_page_are_kept_up_to_a_bound(harness: Harness) -> None:
    harness.open()
    for number in range(1001):
        harness.link.on_event("log.entryAdded", {"level": "info", "text": str(number), "timestamp": number})
    console = harness.tab.console()
    assert console[0] == {"level": "info", "message": "0", "timestamp": 0}
    assert [line["message"] for line in console] == [*map(str, range(1000))]


def test_answers_are_noted_without_redirects_for_the_window_that_they_came_to(harness: Harness) -> None:
    harness.open()
    harness.window("w1")
    harness.answer(SITE, 302, location="/b")
    harness.answer(f"{SITE}/b", 200, location="/no-redirect")
    harness.answer(f"{SITE}/304", 304)
    harness.answer("https://other.example/", context="w1")
    harness.answer("https://unknown.example/", context="w2")
    assert len(harness.tab.responses) == 2
    newest = harness.tab.responses.newest(0)
    assert newest is not None
    assert (newest.url, newest.status) == (f"{SITE}/304", 304)
    of_window = harness.tab.opened.responses_of("w1")
    assert of_window is not None
    assert len(of_window) == 1


def test_only_windows_that_the_page_has_opened_are_its_own_and_it_stays_in_front(harness: Harness) -> None:
    harness.open()
    harness.window("frame", parent="tab1")
    harness.window("other", opener=None)
    assert (len(harness.tab.opened), harness.link.posts) == (0, [])
    harness.window("w1")
    assert len(harness.tab.opened) == 1
    assert harness.link.posts == [("browsingContext.activate", {"context": "tab1"})]


@pytest.mark.parametrize("is_read", [True, False])
def test_a_window_gets_its_page_only_if_the_definitions_continue_in_it(
    harness: Harness, is_read: bool
) -> None:
    actions = (ActionDef("window", "taskGroups.a.browser.actions[0]", text="new"),) if is_read else ()
    harness.open(BrowserDef(actions=actions))
    harness.window("w1")
    method, _ = harness.request("https://site.example/window", context="w1")
    assert method == ("network.continueRequest" if is_read else "network.failRequest")


def test_the_cookies_of_a_session_go_into_the_context_of_the_visit(harness: Harness) -> None:
    harness.open(cookies=(SID, KEPT), Cookie="own=3")
    partition = {"type": "storageKey", "userContext": "user1"}
    put = harness.link.called("storage.setCookie")
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


def test_the_cookies_of_a_visit_are_those_of_its_context(harness: Harness) -> None:
    harness.open()
    of_all = {"domain": "site.example", "path": "/", "secure": True, "httpOnly": True}
    harness.link.cookies = [
        {"name": "sid", "value": {"type": "string", "value": "1"}, **of_all},
        {"name": "kept", "value": {"type": "string", "value": "2"}, "expiry": 2_000_000_000, **of_all},
    ]
    taken = harness.tab.cookies.take((SITE,), ())
    assert taken == tuple(
        f"#HttpOnly_site.example\tFALSE\t/\tTRUE\t{end}" for end in ("0\tsid\t1", "2000000000\tkept\t2")
    )
    assert harness.link.called("storage.getCookies") == [
        {"partition": {"type": "storageKey", "userContext": "user1"}}
    ]


def test_it_cannot_be_interrupted_and_is_never_used_twice(harness: Harness) -> None:
    harness.open()
    harness.tab.keep(True)
    assert not harness.tab.interrupt()
    assert not harness.tab.was_used
    assert harness.tab.windows() == 2
    harness.open()
    assert harness.shown == ["tab1", "tab2"]
