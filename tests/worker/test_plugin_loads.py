"""PluginLoads: pages are loaded by a plugin, each request with a grant, each error with its kind."""

from __future__ import annotations

import math
import socket
import threading
import urllib.request
from types import SimpleNamespace
from typing import Any

import pytest

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.connections.private_hosts import PrivateHosts
from scoopi.fetch.hop_results import FurtherGrant, NotModified, Redirect, Response
from scoopi.fetch.request import Request
from scoopi.model.handover import Grant
from scoopi.model.locator import Locator, PageRequest, Validators
from scoopi.model.sites import Site, Sites
from scoopi.plugins.loader_port import Answer, Terms, Web
from scoopi.worker import plugin_call
from scoopi.worker.plugin_loads import MOST_HANGING, LoadLimits, PluginLoads
from tests.server.misbehaviours import PAGE
from tests.server.server import Server
from tests.worker.plugin_harness import LIMIT_S, SETTINGS, SITES, URL, Plugin, PluginHarness, answering


def test_a_page_is_loaded_with_the_grant_of_its_host_and_its_request_is_reported(
    harness: PluginHarness,
) -> None:
    result = harness.load(answering(headers={"Content-Type": "text/html; charset=koi8-r"}))
    assert isinstance(result, Response)
    assert (result.body, result.charset, result.url) == (b"<p>page", "koi8-r", URL)
    assert harness.sent == ["h.example:80"]
    assert harness.loads is not None
    assert harness.loads.under_way() == 0


SESSION = LoadLimits(SETTINGS, Sites(Site(timeout_ms=5000, session="h.example")), PrivateHosts("inside"))


@pytest.mark.parametrize("status", [200, 302, 403])
@pytest.mark.parametrize("after", [None, ("b",)])
def test_a_session_has_the_cookies_that_a_loader_leaves(
    harness: PluginHarness, status: int, after: tuple[str, ...] | None
) -> None:
    seen: list[object] = []

    def load(url: str, web: Web) -> Answer:
        with web.grant(url) as terms:
            seen.append(terms.cookies)
        return Answer(url, b"", status, {"Location": "/b"}, after)

    harness.plugin(load, SESSION)
    harness.begin(Request(URL, site=SESSION.sites.for_host("h.example:80"), cookies=("a",)))
    result = harness.next()
    assert seen == [("a",)]
    cookies = result.request.cookies if isinstance(result, Redirect) else getattr(result, "cookies", None)
    assert cookies == (after or ("a",)), "a loader that says nothing of them has changed none"


def test_a_loader_gets_no_cookies_of_a_site_without_a_session(harness: PluginHarness) -> None:
    seen: list[object] = []

    def load(url: str, web: Web) -> Answer:
        with web.grant(url) as terms:
            seen.append(terms.cookies)
        return Answer(url, b"")

    harness.load(load)
    assert seen == [None]


def test_a_further_request_waits_for_a_grant_of_its_own_host(harness: PluginHarness) -> None:
    asked: list[str] = []

    def load(url: str, web: Web) -> Answer:
        for each in ("http://other.example/token", url):
            with web.grant(each) as terms:
                asked.append(terms.url)
        return Answer(url, b"both")

    loads = harness.plugin(load)
    harness.begin(Request(URL))
    wanted = harness.next()
    assert isinstance(wanted, FurtherGrant)
    assert (wanted.host, asked, harness.sent, loads.under_way()) == ("other.example:80", [], [], 0)
    assert loads.resume(
        wanted.call, Request(URL), Grant(wanted.host, math.inf), harness.results.append, harness.sent.append
    )
    again = harness.next()
    assert again == FurtherGrant("h.example:80", URL, wanted.call), "a grant is for one request"
    assert asked == ["http://other.example/token"]
    loads.resume(
        wanted.call,
        Request(URL),
        Grant("h.example:80", math.inf),
        harness.results.append,
        harness.sent.append,
    )
    assert isinstance(harness.next(), Response)
    assert harness.sent == ["other.example:80", "h.example:80"]


def test_a_part_of_a_page_waits_for_a_grant_without_an_address_for_robots_txt(harness: PluginHarness) -> None:
    def load(url: str, web: Web) -> Answer:
        with web.grant_part("http://other.example/script.js"):
            return Answer(url, b"")

    harness.plugin(load)
    harness.begin(Request(URL))
    wanted = harness.next()
    assert isinstance(wanted, FurtherGrant)
    assert (wanted.host, wanted.url) == ("other.example:80", "")


def test_a_held_grant_is_waited_for_with_its_address_for_robots_txt(harness: PluginHarness) -> None:
    def load(url: str, web: Web) -> Answer:
        with web.hold("http://other.example/page"):
            return Answer(url, b"")

    harness.plugin(load)
    harness.begin(Request(URL))
    wanted = harness.next()
    assert isinstance(wanted, FurtherGrant)
    assert (wanted.host, wanted.url) == ("other.example:80", "http://other.example/page")


def test_a_held_grant_counts_as_sent_once_it_is_used(harness: PluginHarness) -> None:
    uses: list[bool] = []

    def load(url: str, web: Web) -> Answer:
        with web.hold(url) as held:
            assert held.terms.url == url
            if not is_used:
                return Answer(url, b"")
            uses.extend(held.use() for _ in range(2))
        return Answer(url, b"")

    for is_used in (False, True):
        assert isinstance(harness.load(load), Response)
        assert harness.sent == ["h.example:80"] * is_used, "once, and not before"
    assert uses == [True, False], "a grant is for one request"


def test_a_held_grant_that_has_expired_cannot_be_used(
    harness: PluginHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(plugin_call, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def load(url: str, web: Web) -> Answer:
        with web.hold(url) as held:
            now[0] = 102.0
            return Answer(url, b"", status=200 if held.use() else 410)

    harness.plugin(load)
    harness.begin(Request(URL), not_after=101.0)
    assert "status 410" in str(harness.next())
    assert harness.sent == []


def test_an_expired_grant_is_not_used(harness: PluginHarness) -> None:
    harness.plugin(answering())
    harness.begin(Request(URL), not_after=0.0)
    wanted = harness.next()
    assert isinstance(wanted, FurtherGrant)
    assert (wanted.host, harness.sent) == ("h.example:80", [])


def test_an_abandoned_call_ends_and_cannot_be_resumed(harness: PluginHarness) -> None:
    ended = threading.Event()

    def load(url: str, web: Web) -> Answer:
        try:
            with web.grant("http://other.example/"):
                return Answer(url, b"")
        finally:
            ended.set()

    loads = harness.plugin(load)
    harness.begin(Request(URL))
    wanted = harness.next()
    assert isinstance(wanted, FurtherGrant)
    loads.abandon(wanted.call)
    assert ended.wait(LIMIT_S)
    loads.turn()
    assert not loads.resume(
        wanted.call, Request(URL), Grant(wanted.host, math.inf), harness.results.append, None
    )
    assert harness.results == []


def test_the_plugin_is_given_what_the_site_is_asked_with(harness: PluginHarness) -> None:
    given: list[tuple[dict[str, str], float]] = []

    def load(url: str, web: Web) -> Answer:
        with web.grant(url) as terms:
            given.append((dict(terms.headers), terms.timeout_s))
        return Answer(url, b"", 304, {"ETag": '"v2"'})

    result = harness.load(load, Request(URL, known=Validators('"v1"')))
    assert isinstance(result, NotModified)
    ((headers, timeout_s),) = given
    assert {"User-Agent": "Scoopi/test", "X-Bread": "rye", "If-None-Match": '"v1"'}.items() <= headers.items()
    assert timeout_s == 5.0


def test_a_redirect_is_followed_with_a_grant_of_its_own(harness: PluginHarness) -> None:
    result = harness.load(answering(status=302, headers={"location": "//other.example/b"}))
    assert isinstance(result, Redirect)
    assert (result.host, result.request.url, result.request.hops) == (
        "other.example:80",
        "http://other.example/b",
        1,
    )
    error = harness.load(answering(status=302, headers={"location": "/b"}), Request(URL, hops=2))
    assert "more than 2 redirects" in str(error)


@pytest.mark.parametrize(
    ("fields", "message", "fault"),
    [
        (
            {"status": 503, "headers": {"retry-after": "7"}},
            "the site answered with status 503",
            LoadFault("status 503", True, 503, 7.0),
        ),
        ({"status": 404}, "the site answered with status 404", LoadFault("status 404", False, 404)),
        ({"body": bytes(1001)}, "the page is larger than 1000 bytes", LoadFault()),
    ],
)
def test_an_answer_is_judged_as_those_of_scoopi_itself(
    harness: PluginHarness, fields: dict[str, Any], message: str, fault: LoadFault
) -> None:
    error = harness.error(answering(**fields))
    assert message in str(error)
    assert error.fault == fault


def test_a_missing_page_to_which_an_action_led_is_not_called_a_wrong_url(harness: PluginHarness) -> None:
    assert harness.error(answering(status=404)).hint == "correct the url"
    elsewhere = harness.error(answering(status=404, url="http://a.example/gone"))
    assert elsewhere.hint.startswith("a redirect, a script of the page or an action leads there; correct")


def test_a_public_page_leads_to_no_private_host(harness: PluginHarness) -> None:
    result = harness.load(answering(), Request("http://127.0.0.1:1/", public_only=True))
    assert "a public page leads to a private address" in str(result)
    assert harness.sent == []


def test_a_request_that_does_not_end_fails_its_page_and_too_many_of_them_the_others(
    harness: PluginHarness,
) -> None:
    release = threading.Event()

    def load(url: str, web: Web) -> Answer:
        with web.grant(url):
            release.wait(LIMIT_S)
        return Answer(url, b"")

    limits = LoadLimits(SETTINGS, Sites(Site(timeout_ms=1)), PrivateHosts("inside"))
    harness.plugin(load, limits)
    try:
        for _ in range(MOST_HANGING):
            harness.begin(Request(URL))
        faults = [error.fault for _ in range(MOST_HANGING) if isinstance(error := harness.next(), FetchError)]
        assert faults == [LoadFault("timeout", is_transient=True)] * MOST_HANGING
        harness.begin(Request(URL))
        assert f"{MOST_HANGING} calls of the loader hall hang" in str(harness.next())
    finally:
        release.set()


def test_a_closed_client_wakes_nobody(harness: PluginHarness) -> None:
    began, release = threading.Event(), threading.Event()

    def load(url: str, web: Web) -> Answer:
        began.set()
        release.wait(LIMIT_S)
        with web.grant(url):
            return Answer(url, b"")

    loads = harness.plugin(load)
    harness.begin(Request(URL))
    assert began.wait(LIMIT_S)
    loads.close()
    harness.woken.clear()
    release.set()
    assert not harness.woken.wait(0.2)
    assert loads.under_way() == 0


def test_a_library_of_the_standard_can_be_plugged_in(harness: PluginHarness, server: Server) -> None:
    def load(url: str, web: Web) -> Answer:
        with web.grant(url) as terms:
            request = urllib.request.Request(terms.url, headers=dict(terms.headers))
            with urllib.request.urlopen(request, timeout=terms.timeout_s) as answer:
                return Answer(answer.url, answer.read(), answer.status, dict(answer.headers))

    result = harness.load(load, Request(server.url("/bad/closes-after")))
    assert isinstance(result, Response)
    assert result.body == PAGE
    assert server.log.all()[0].header("x-bread") == "rye"


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://hidden.example/", "http://127.0.0.1:80"),
        ("https://hidden.example/", "http://127.0.0.1:443"),
        ("http://hidden.example:8123/", "http://127.0.0.1:8123"),
    ],
)
def test_a_name_that_leads_to_the_proxy_itself_is_not_private(
    harness: PluginHarness, monkeypatch: pytest.MonkeyPatch, url: str, proxy: str
) -> None:
    peer = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [peer])
    for environ, is_let_through in (({"http_proxy": proxy}, True), ({}, False)):
        harness.plugin(answering(), LoadLimits(SETTINGS, SITES, PrivateHosts("inside", environ=environ)))
        harness.begin(Request(url, public_only=True))
        assert ("private address" in str(harness.next())) is not is_let_through


@pytest.mark.parametrize("is_closed", [False, True])
def test_what_a_call_reports_wakes_the_worker_until_it_is_closed(
    harness: PluginHarness, is_closed: bool
) -> None:
    called = threading.Event()

    def load(url: str, web: Web) -> Answer:
        called.set()
        return Answer(url, b"")

    loads = harness.plugin(load)
    if is_closed:
        loads.close()
    harness.begin(Request(URL))
    assert called.wait(LIMIT_S)
    assert harness.woken.wait(0.1 if is_closed else LIMIT_S) is not is_closed


@pytest.mark.parametrize(("url", "is_public"), [(URL, True), ("http://127.0.0.1:1/", False)])
def test_a_redirect_of_a_public_page_may_lead_to_public_hosts_only(
    harness: PluginHarness, url: str, is_public: bool
) -> None:
    result = harness.load(answering(url=url, status=302, headers={"location": "/b"}), Request(url))
    assert isinstance(result, Redirect)
    assert result.request.public_only is is_public


def test_a_call_is_under_way_until_it_waits_for_a_grant_or_ends(harness: PluginHarness) -> None:
    release = threading.Event()

    def load(url: str, web: Web) -> Answer:
        release.wait(LIMIT_S)
        return Answer(url, b"")

    loads = harness.plugin(load)
    harness.begin(Request(URL))
    try:
        assert loads.under_way() == 1
    finally:
        release.set()
    harness.next()
    assert loads.under_way() == 0


def test_a_call_that_got_its_further_grant_is_under_way_again(harness: PluginHarness) -> None:
    granted, release = threading.Event(), threading.Event()

    def load(url: str, web: Web) -> Answer:
        with web.grant("http://other.example/token"):
            granted.set()
            release.wait(LIMIT_S)
        return Answer(url, b"")

    loads = harness.plugin(load)
    harness.begin(Request(URL))
    wanted = harness.next()
    assert isinstance(wanted, FurtherGrant)
    assert loads.under_way() == 0
    loads.resume(wanted.call, Request(URL), Grant(wanted.host, math.inf), harness.results.append, None)
    try:
        assert loads.under_way() == 1
        assert granted.wait(LIMIT_S)
    finally:
        release.set()
    assert isinstance(harness.next(), Response)
    assert harness.sent == [], "it was resumed without a report of its request"


def test_a_page_of_the_most_bytes_is_read(harness: PluginHarness) -> None:
    result = harness.load(answering(body=bytes(SETTINGS.max_bytes)))
    assert isinstance(result, Response)
    assert len(result.body) == SETTINGS.max_bytes


def terms_of(harness: PluginHarness, url: str, request: Request) -> Terms:
    """The terms that a call for the request gets for that address."""
    given: list[Terms] = []

    def load(_: str, web: Web) -> Answer:
        with web.grant(url) as terms:
            given.append(terms)
        return Answer(url, b"")

    harness.plugin(load)
    harness.begin(request)
    result = harness.next()
    if isinstance(result, FurtherGrant):
        assert harness.loads is not None
        harness.loads.resume(result.call, request, Grant(result.host, math.inf), harness.results.append, None)
        result = harness.next()
    assert isinstance(result, Response), result
    (terms,) = given
    return terms


POSTED = Request(
    URL,
    site=Site(user_agent="Scoopi/own", timeout_ms=3000, session="h.example"),
    cookies=("a",),
    content=PageRequest("POST", headers=(("X-Own", "1"),), form=(("q", "rye bread"),)),
    locator=Locator("towns", "group", "http://h.example/a#top"),
)


def test_the_request_of_the_page_is_made_as_its_locator_says(harness: PluginHarness) -> None:
    terms = terms_of(harness, URL, POSTED)
    assert (terms.method, terms.body, terms.cookies) == ("POST", b"q=rye+bread", ("a",))
    assert (terms.timeout_s, terms.headers["User-Agent"], terms.headers["X-Own"]) == (3.0, "Scoopi/own", "1")
    assert (terms.locator_name, terms.locator_url) == ("towns", "http://h.example/a#top")


@pytest.mark.parametrize("url", ["http://h.example/script.js", "http://other.example/"])
def test_any_other_request_of_a_page_is_a_plain_one(harness: PluginHarness, url: str) -> None:
    terms = terms_of(harness, url, POSTED)
    assert (terms.method, terms.body, terms.cookies, terms.timeout_s) == ("GET", None, None, 5.0)
    assert (terms.locator_name, terms.headers["User-Agent"]) == ("", "Scoopi/test")
    assert "X-Own" not in terms.headers


def test_a_page_without_a_locator_is_requested_by_get_as_its_host_says(harness: PluginHarness) -> None:
    terms = terms_of(harness, URL, Request(URL))
    assert (terms.method, terms.body, terms.timeout_s, terms.headers["User-Agent"]) == (
        "GET",
        None,
        5.0,
        "Scoopi/test",
    )
    assert (terms.locator_name, terms.locator_url) == ("", "")


def test_secret_params_are_kept_from_a_plugin(harness: PluginHarness) -> None:
    content = PageRequest(params=(("token", "${env:TOKEN}"),))
    error = harness.load(answering(), Request(URL, content=content))
    assert "secret params are not sent by a loader plugin" in str(error)
    assert harness.sent == []


def test_a_redirect_without_a_target_and_an_unknown_page_that_has_not_changed_are_errors(
    harness: PluginHarness,
) -> None:
    for status in (302, 304):
        assert harness.error(answering(status=status)).fault.status == status


def test_a_missing_page_is_the_wrong_url_whatever_its_fragment(harness: PluginHarness) -> None:
    assert harness.error(answering(status=404, url=f"{URL}#top")).hint == "correct the url"


@pytest.mark.parametrize(("status", "method"), [(302, "GET"), (307, "POST")])
def test_a_redirect_repeats_a_post_if_its_status_says_so(
    harness: PluginHarness, status: int, method: str
) -> None:
    request = Request(URL, hops=1, content=PageRequest("POST", json="{}"))
    result = harness.load(answering(status=status, headers={"location": "/b"}), request)
    assert isinstance(result, Redirect)
    assert result.request.hops == 2
    assert (result.request.content or PageRequest()).method == method


def test_only_a_redirect_from_https_to_http_is_a_downgrade(harness: PluginHarness) -> None:
    found = []
    for url, target in (
        (URL, "http://b/"),
        ("https://h.example/a", "https://b/"),
        ("https://h.example/a", URL),
    ):
        result = harness.load(answering(url=url, status=302, headers={"location": target}), Request(url))
        assert isinstance(result, Redirect)
        found.append(result.is_downgrade)
    assert found == [False, False, True]


def test_each_event_of_a_request_can_be_watched() -> None:
    seen: list[tuple[str, str]] = []
    woken, results = threading.Event(), list[object]()
    limits = LoadLimits(SETTINGS, SITES, PrivateHosts("inside"))

    def watch(request: Request, event: object) -> None:
        seen.append((request.url, type(event).__name__))

    loads = PluginLoads(Plugin(answering()), "hall", limits, woken.set, watch)
    loads.begin(Request(URL), Grant("h.example:80", math.inf), results.append, None)
    while not results:
        assert woken.wait(LIMIT_S)
        woken.clear()
        loads.turn()
    assert seen == [(URL, "RequestSent"), (URL, "CallAnswered")]
    loads.close()


def test_a_call_that_is_given_up_while_it_asks_for_its_terms_ends_there(harness: PluginHarness) -> None:
    asked, release, ended = threading.Event(), threading.Event(), threading.Event()
    reached: list[str] = []

    class Slow(Sites):
        def for_host(self, host: str) -> Site:
            asked.set()
            release.wait(LIMIT_S)
            return super().for_host(host)

    def load(url: str, web: Web) -> Answer:
        try:
            with web.grant(url):
                reached.append("its request")
            with web.grant(url):
                reached.append("another one")
            return Answer(url, b"")
        finally:
            ended.set()

    loads = harness.plugin(load, LoadLimits(SETTINGS, Slow(Site()), PrivateHosts("inside")))
    harness.begin(Request(URL))
    assert asked.wait(LIMIT_S)
    loads.close()
    release.set()
    assert ended.wait(LIMIT_S)
    assert (reached, harness.results, harness.sent) == ([], [], [])
