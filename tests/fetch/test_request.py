"""Request: what follows a redirect, by the rules of browsers, and what a request sends."""

from __future__ import annotations

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.request import Request, body_of, conditions, is_downgrade
from scoopi.model.locator import PageRequest, Validators

URL, SAME, OTHER = "https://a.example/form", "https://a.example/next", "https://b.example/next"
POST = PageRequest("POST", form=(("q", "rye"),), headers=(("Accept", "*/*"), ("Authorization", "x")))


def after(content: PageRequest | None, status: int, target: str = SAME) -> PageRequest | None:
    host = "b.example:443" if target == OTHER else "a.example:443"
    return Request(URL, content=content).redirected(target, host, status)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_post_becomes_a_get_without_a_body(status: int) -> None:
    followed = after(POST, status)
    assert followed is not None
    assert (followed.method, followed.form, followed.json) == ("GET", None, "")


@pytest.mark.parametrize("status", [307, 308])
def test_other_statuses_repeat_the_request(status: int) -> None:
    assert after(POST, status) == POST


def test_only_303_turns_a_put_into_a_get() -> None:
    put = PageRequest("PUT", json="{}")
    assert after(put, 302) == put
    assert after(put, 303) is None, "a plain GET needs no content"


def test_another_host_gets_no_credential() -> None:
    followed = after(POST, 307, OTHER)
    assert followed is not None
    assert followed.headers == (("Accept", "*/*"),)
    secret = PageRequest("POST", json='{"key": "${env:KEY}"}')
    with pytest.raises(FetchError, match="redirected to another host with a body that contains a credential"):
        after(secret, 307, OTHER)
    assert after(secret, 307) == secret


def test_an_unencrypted_target_gets_no_credential() -> None:
    followed = Request(URL, content=POST).redirected("http://a.example/next", "a.example:443", 307)
    assert followed is not None
    assert followed.headers == (("Accept", "*/*"),)
    assert is_downgrade(URL, "http://a.example/next")
    assert not is_downgrade("http://a.example/", SAME)


def test_the_next_hop_is_counted_and_knows_that_it_is_for_robots_txt() -> None:
    hop = Request(URL, hops=2, is_robots=True).hop_to(SAME, "a.example:443", 302)
    assert (hop.url, hop.hops, hop.is_robots, hop.content) == (SAME, 3, True, None)


@pytest.mark.parametrize(
    ("method", "once"), [("POST", True), ("PATCH", True), ("PUT", False), ("GET", False)]
)
def test_a_request_that_may_have_an_effect_twice_is_sent_once(method: str, once: bool) -> None:
    assert Request(URL, content=PageRequest(method, json="{}")).is_sent_once is once
    assert not Request(URL).is_sent_once


def test_a_body_is_sent_with_its_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", 'a"&b')
    form = PageRequest("POST", form=(("key", "${env:KEY}"), ("q", "rye bread")))
    assert body_of(form) == b"key=a%22%26b&q=rye+bread"
    nested = PageRequest("POST", json='{"keys": ["${env:KEY}", 1]}')
    assert body_of(nested) == b'{"keys": ["a\\"&b", 1]}'
    assert body_of(PageRequest("POST", json='{"a":1}')) == b'{"a":1}', "as it is written"
    assert body_of(None) is body_of(PageRequest()) is None


def test_a_known_version_is_asked_for_by_each_of_its_validators() -> None:
    known = Validators('"v1"', "Mon, 05 Jan 2026 08:00:00 GMT")
    assert conditions(known) == ['If-None-Match: "v1"', "If-Modified-Since: Mon, 05 Jan 2026 08:00:00 GMT"]
    assert conditions(None) == []
