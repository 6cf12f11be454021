"""HttpClient and grants: what counts as a request, and that one grant is used for one at most."""

from __future__ import annotations

import socket
import time
from functools import partial

import pytest
from msgspec import structs

from scoopi.errors import FetchError, SilentHostError
from scoopi.fetch import http_exchange
from scoopi.fetch.hop_results import GrantNeeded, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from tests.engine.workspace import wait_until
from tests.fetch.exchanges.many import answers_of, page, send
from tests.server.misbehaviours import PAGE
from tests.server.server import Server


def test_a_request_is_sent_when_it_is_reported_and_before_its_response(
    client: HttpClient, server: Server
) -> None:
    arrived: list[int] = []

    def report() -> None:
        wait_until(server.log.all, "the request, which a report does not delay")
        arrived.append(len(server.log.all()))

    assert page(client, server.url("/bad/slow?ms=60"), report).body == PAGE
    assert arrived == [1]


def test_a_connect_to_a_proxy_does_not_count_as_the_request(
    client: HttpClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", server.url(""))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    calls: list[int] = []
    with pytest.raises(FetchError):
        send(client, Request("https://shop.example/"), lambda: calls.append(1))
    assert [seen.head[:8] for seen in server.log.all()] == [b"CONNECT "]
    assert calls == []


def test_a_request_lost_on_a_reused_connection_is_not_sent_again_with_the_same_grant(
    client: HttpClient, ends_at_second: str
) -> None:
    calls: list[int] = []
    page(client, ends_at_second)
    assert send(client, Request(ends_at_second), lambda: calls.append(1)) == GrantNeeded(was_lost=True)
    assert calls == [1], "it was reported, so the next waits for the delay"
    assert page(client, ends_at_second, lambda: calls.append(1)).body == b"x"


def test_a_request_whose_reused_connection_has_the_rest_of_an_earlier_response_is_sent_again(
    client: HttpClient, garbles_second: str
) -> None:
    page(client, garbles_second)
    assert send(client, Request(garbles_second)) == GrantNeeded(was_lost=True)
    assert page(client, garbles_second).body == b"x"


def test_a_lost_request_is_not_tried_on_other_reused_connections(client: HttpClient, server: Server) -> None:
    answers_of(client, [server.url("/bad/slow?ms=50")] * 8, at_a_time=8)
    url = server.url("/bad/closes-kept")
    assert send(client, Request(url)) == GrantNeeded(was_lost=True)
    assert len(server.log.all()) == 9
    assert isinstance(send(client, Request(url, lost=1)), Response)


def test_a_request_that_ends_a_new_connection_too_is_an_error(client: HttpClient, server: Server) -> None:
    page(client, server.url("/bad/empty"))
    url = server.url("/bad/closes")
    assert send(client, Request(url)) == GrantNeeded(was_lost=True)
    with pytest.raises(FetchError, match="closed the connection without a response"):
        send(client, Request(url, lost=1))


def test_a_request_after_its_grant_is_not_sent(client: HttpClient, server: Server) -> None:
    calls: list[int] = []
    late = Request(server.url("/bad/empty"), not_after=time.monotonic() - 0.001)
    assert send(client, late, lambda: calls.append(1)) == GrantNeeded()
    assert (calls, server.log.all()) == ([], [])
    in_time = structs.replace(late, not_after=time.monotonic() + 60)
    assert isinstance(send(client, in_time), Response)


def test_a_grant_that_runs_out_while_connecting_is_not_used(
    client: HttpClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Clock:
        """Passes the end of the grant between the first check and the connection."""

        times = iter((1.0, 3.0))

        @classmethod
        def monotonic(cls) -> float:
            return next(cls.times)

    monkeypatch.setattr(http_exchange, "time", Clock)
    calls: list[int] = []
    assert (
        send(client, Request(server.url("/bad/empty"), not_after=2.0), lambda: calls.append(1))
        == GrantNeeded()
    )
    monkeypatch.undo()
    assert calls == []
    assert page(client, server.url("/bad/empty")).status == 200
    assert len(server.log.all()) == 1


def test_an_error_of_on_sent_reaches_the_caller(client: HttpClient, server: Server) -> None:
    def refuse() -> None:
        raise LookupError("the pipe is gone")

    with pytest.raises(LookupError, match="the pipe is gone"):
        send(client, Request(server.url("/bad/empty")), refuse)
    assert page(client, server.url("/bad/empty")).status == 200


def test_an_attempt_to_connect_counts_as_a_request_and_a_name_that_is_unknown_does_not(
    client: HttpClient,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sent: list[str] = []
    for url in (f"http://127.0.0.1:{port}/", "http://nowhere.onion/"):
        with pytest.raises(SilentHostError):
            send(client, Request(url), partial(sent.append, url))
    assert sent == [f"http://127.0.0.1:{port}/"]
