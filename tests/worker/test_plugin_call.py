"""PluginCall: what a plugin raises fails its page, for good or not, and only web hosts are asked."""

from __future__ import annotations

import http.client
import math
import socket
import threading
import urllib.request
from types import MappingProxyType, SimpleNamespace

import pytest

from scoopi.errors import FetchError, LoadFault, SilentHostError
from scoopi.fetch.address import host_of
from scoopi.fetch.hop_results import FurtherGrant, Response
from scoopi.fetch.request import Request
from scoopi.model.handover import Grant
from scoopi.plugins.loader_port import Answer, Terms, Web
from scoopi.worker import plugin_call
from scoopi.worker.plugin_call import (
    GRACE_S,
    CallAnswered,
    CallNeedsGrant,
    CallRules,
    PluginCall,
    RequestSent,
)
from tests.worker.plugin_harness import LIMIT_S, URL, Load, Plugin, PluginHarness, answering, raising


@pytest.mark.parametrize(
    ("raised", "reason", "is_silent"),
    [
        (TimeoutError("timed out"), "timeout", True),
        (ConnectionRefusedError(111, "refused"), "connect", True),
        (socket.gaierror(-2, "unknown"), "dns", True),
        (ConnectionResetError(104, "reset"), "reset", False),
        (http.client.IncompleteRead(b"x"), "truncated", False),
        (urllib.error.URLError(TimeoutError("timed out")), "timeout", True),
    ],
)
def test_an_error_of_the_network_is_transient(
    harness: PluginHarness, raised: Exception, reason: str, is_silent: bool
) -> None:
    error = harness.error(raising(raised))
    assert (error.fault.reason, error.fault.is_transient) == (reason, True)
    assert isinstance(error, SilentHostError) is is_silent


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (raising(KeyError("token")), "the loader hall raised KeyError: 'token'"),
        (raising(SystemExit(3)), "the loader hall raised SystemExit: 3"),
        (lambda url, web: "page", "the loader hall returned str instead of an Answer"),
        (raising(FetchError("no such hall", fault=LoadFault("own", True))), "no such hall"),
    ],
)
def test_an_error_of_the_plugin_is_permanent_unless_it_says_otherwise(
    harness: PluginHarness, load: Load, message: str
) -> None:
    error = harness.error(load)
    assert message in str(error)
    assert error.fault.is_transient is ("no such hall" in message)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"body": "<p>page"}, "whose body is a str, not bytes"),
        ({"body": None}, "whose body is a NoneType, not bytes"),
        ({"url": b"http://h.example/"}, "whose url is a bytes, not a str"),
        ({"status": "200"}, "whose status is a str, not an int"),
        ({"headers": None}, "whose headers is a NoneType, not a mapping of str to str"),
        ({"headers": {"Content-Length": 7}}, "whose headers is a dict with a int, not a mapping"),
        ({"cookies": ("a", b"b")}, "whose cookies is a tuple with a bytes, not a tuple of str"),
    ],
)
def test_an_answer_that_cannot_be_read_fails_its_page_only(
    harness: PluginHarness, fields: dict[str, object], message: str
) -> None:
    error = harness.error(answering(**fields))
    assert f"the loader hall returned an Answer {message}" in str(error)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://h.example:x/", "ftp://h/"])
def test_only_web_addresses_are_granted(harness: PluginHarness, url: str) -> None:
    def load(asked: str, web: Web) -> Answer:
        with web.grant(url):
            return Answer(asked, b"")

    assert harness.error(load).fault == LoadFault()
    assert harness.sent == []


def test_an_error_that_only_looks_like_that_of_a_network_is_the_plugins_own(harness: PluginHarness) -> None:
    error = ValueError("odd")
    error.reason = OSError("inner")  # type: ignore[attr-defined]
    assert not harness.error(raising(error)).fault.is_transient


def test_an_error_of_the_system_without_a_better_name_is_one_of_the_connection(
    harness: PluginHarness,
) -> None:
    for error in (OSError(113, "No route to host"), urllib.error.URLError("unknown")):
        assert harness.error(raising(error)).fault.reason == "connect"


def test_a_call_that_never_ends_does_not_keep_the_process_from_ending() -> None:
    terms = Terms(URL, {}, 1.0)
    rules = CallRules(lambda url, host: terms, lambda url, if_unknown: True, public_only=False)
    call = PluginCall(Plugin(answering()), "hall", URL, rules, lambda event: None)
    assert call.thread.daemon


@pytest.mark.parametrize("timeout_s", [0.0, 60.0])
def test_a_request_may_take_its_timeout_and_a_little_more(timeout_s: float) -> None:
    sent, release = threading.Event(), threading.Event()

    def load(url: str, web: Web) -> Answer:
        with web.grant(url):
            sent.set()
            release.wait(LIMIT_S)
        return Answer(url, b"")

    rules = CallRules(lambda url, host: Terms(url, {}, timeout_s), lambda *_: True, public_only=False)
    call = PluginCall(Plugin(load), "hall", URL, rules, lambda event: None)
    call.give(Grant(host_of(URL), math.inf))
    call.thread.start()
    assert sent.wait(LIMIT_S)
    assert call.overdue() is None
    release.set()
    call.thread.join(LIMIT_S)


def test_a_page_from_a_host_of_unknown_name_counts_as_public_but_may_not_be_asked_for_by_one() -> None:
    asked: list[tuple[str, bool]] = []
    events: list[object] = []

    def is_public(url: str, if_unknown: bool) -> bool:
        asked.append((url, if_unknown))
        return True

    rules = CallRules(lambda url, host: Terms(url, {}, 1.0), is_public, public_only=True)
    call = PluginCall(Plugin(answering()), "hall", URL, rules, events.append)
    call.give(Grant(host_of(URL), math.inf))
    call.thread.start()
    call.thread.join(LIMIT_S)
    assert asked == [(URL, False), (URL, True)]
    assert len(events) == 2


class Clock:
    """The time of plugin calls, moved by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(plugin_call, "time", SimpleNamespace(monotonic=lambda: self.now))


@pytest.mark.parametrize(("not_after", "is_used"), [(100.0, True), (99.9, False)])
def test_a_grant_may_be_used_until_the_moment_at_which_it_expires(
    harness: PluginHarness, monkeypatch: pytest.MonkeyPatch, not_after: float, is_used: bool
) -> None:
    Clock(monkeypatch)
    harness.plugin(answering())
    harness.begin(Request(URL), not_after=not_after)
    assert isinstance(harness.next(), Response if is_used else FurtherGrant)


@pytest.mark.parametrize(("now", "is_used"), [(101.0, True), (101.1, False)])
def test_a_held_grant_may_be_used_until_the_moment_at_which_it_expires(
    harness: PluginHarness, monkeypatch: pytest.MonkeyPatch, now: float, is_used: bool
) -> None:
    clock, used = Clock(monkeypatch), list[bool]()

    def load(url: str, web: Web) -> Answer:
        with web.hold(url) as held:
            clock.now = now
            used.append(held.use())
        return Answer(url, b"")

    harness.plugin(load)
    harness.begin(Request(URL), not_after=101.0)
    assert isinstance(harness.next(), Response)
    assert used == [is_used]


def test_a_request_is_overdue_once_its_timeout_and_a_little_more_are_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, sent, release = Clock(monkeypatch), threading.Event(), threading.Event()

    def load(url: str, web: Web) -> Answer:
        with web.grant(url):
            sent.set()
            release.wait(LIMIT_S)
        return Answer(url, b"")

    rules = CallRules(lambda url, host: Terms(url, {}, 5.0), lambda *_: True, public_only=False)
    call = PluginCall(Plugin(load), "hall", URL, rules, lambda event: None)
    assert call.overdue() is None, "nothing is requested yet"
    call.give(Grant(host_of(URL), math.inf))
    call.thread.start()
    assert sent.wait(LIMIT_S)
    overdue = []
    for now in (105.0 + GRACE_S - 0.01, 105.0 + GRACE_S):
        clock.now = now
        overdue.append(call.overdue())
    release.set()
    call.thread.join(LIMIT_S)
    before, after = overdue
    assert before is None
    assert after is not None
    assert (after.fault, after.hint) == (
        LoadFault("timeout", is_transient=True),
        "pass `timeout_s` of the grant to the request",
    )


def test_a_call_that_waits_for_a_grant_continues_at_once_when_it_comes_or_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plugin_call, "LONGEST_WAIT_S", 10 * LIMIT_S)
    rules = CallRules(lambda url, host: Terms(url, {}, 5.0), lambda *_: True, public_only=False)
    for is_given in (True, False):
        events, wanted = list[object](), threading.Event()

        def report(event: object, events: list[object] = events, wanted: threading.Event = wanted) -> None:
            events.append(event)
            wanted.set()

        call = PluginCall(Plugin(answering()), "hall", URL, rules, report)
        call.thread.start()
        assert wanted.wait(LIMIT_S)
        call.give(Grant(host_of(URL), math.inf)) if is_given else call.abandon()
        call.thread.join(LIMIT_S)
        assert not call.thread.is_alive()
        assert [type(event) for event in events] == [CallNeedsGrant, RequestSent, CallAnswered][
            : 3 if is_given else 1
        ]


def test_nothing_is_reported_of_a_call_that_was_given_up_even_if_its_plugin_raises() -> None:
    events, began, release = list[object](), threading.Event(), threading.Event()

    def load(url: str, web: Web) -> Answer:
        began.set()
        release.wait(LIMIT_S)
        raise ValueError("odd")

    rules = CallRules(lambda url, host: Terms(url, {}, 5.0), lambda *_: True, public_only=False)
    call = PluginCall(Plugin(load), "hall", URL, rules, events.append)
    call.thread.start()
    assert began.wait(LIMIT_S)
    call.abandon()
    release.set()
    call.thread.join(LIMIT_S)
    assert events == []


def test_a_call_that_waits_for_a_grant_is_never_overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, wanted = Clock(monkeypatch), threading.Event()

    def report(event: object) -> None:
        if isinstance(event, CallNeedsGrant):
            wanted.set()

    def load(url: str, web: Web) -> Answer:
        for each in (url, "http://other.example/"):
            with web.grant(each):
                pass
        return Answer(url, b"")

    rules = CallRules(lambda url, host: Terms(url, {}, 5.0), lambda *_: True, public_only=False)
    call = PluginCall(Plugin(load), "hall", URL, rules, report)
    call.give(Grant(host_of(URL), math.inf))
    call.thread.start()
    assert wanted.wait(LIMIT_S)
    clock.now = 1e9
    assert call.overdue() is None, "its host is asked later, which is not its fault"
    call.abandon()
    call.thread.join(LIMIT_S)


def test_an_error_without_words_is_named_by_its_kind(harness: PluginHarness) -> None:
    assert "TimeoutError (hall)" in str(harness.error(raising(TimeoutError())))
    assert "the loader hall raised KeyError: KeyError" in str(harness.error(raising(KeyError())))


def test_an_answer_may_have_any_mapping_of_headers_and_any_bytes(harness: PluginHarness) -> None:
    fields = {"body": memoryview(b"page"), "headers": MappingProxyType({"a": "b"}), "cookies": ["c"]}
    assert isinstance(harness.load(answering(**fields)), Response)
