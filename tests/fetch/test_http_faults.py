"""What sites do to a fetcher: each is one clear error, in bounded time, and the client continues."""

from __future__ import annotations

import pickle
import socket
import time
from datetime import UTC, datetime

import pytest
from msgspec import structs

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.hop_results import Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.http_faults import LONGEST_RETRY_AFTER_S, retry_after_s, status_fault
from scoopi.fetch.http_faults import fault as wrong
from scoopi.fetch.request import Request
from scoopi.model.sites import Auth, Site
from tests.fetch.conftest import SETTINGS, Maker
from tests.fetch.exchanges.many import send
from tests.server.server import Server


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("reset", "connection was lost"),
        ("reset-midway", "connection was lost"),
        ("closes", "closed the connection without a response"),
        ("truncated", "the page was cut off"),
        ("truncated-chunks", "the page was cut off"),
        ("truncated-coding?coding=gzip", "cannot be decoded as gzip: it ends too early"),
        ("truncated-coding?coding=deflate", "cannot be decoded as deflate: it ends too early"),
        ("truncated-coding?coding=br", "cannot be decoded as br: it ends too early"),
        ("truncated-coding?coding=zstd", "cannot be decoded as zstd: it ends too early"),
        ("broken-coding?coding=gzip", "cannot be decoded as gzip"),
        ("broken-coding?coding=deflate", "cannot be decoded as deflate"),
        ("broken-coding?coding=br", "cannot be decoded as br"),
        ("broken-coding?coding=zstd", "cannot be decoded as zstd"),
        ("broken-coding?coding=sdch", "content coding 'sdch' is unknown"),
        ("broken-coding?coding=gzip,gzip,gzip,gzip,gzip,gzip", "more than 5 content codings"),
        ("never-ends", "larger than 1000000 bytes"),
        ("huge?mb=100", "larger than 1000000 bytes"),
        ("gzip-bomb?coding=gzip&mb=60", "larger than 1000000 bytes"),
        ("gzip-bomb?coding=br&mb=60", "larger than 1000000 bytes"),
        ("gzip-bomb?coding=zstd&mb=60", "larger than 1000000 bytes"),
        ("early-hints?only=yes", "closed the connection without a response|connection was lost"),
        ("not-http", "the response is not valid HTTP"),
        ("endless-headers", "the headers of the response are too large"),
        ("endless-header", "the headers of the response are too large"),
        ("two-lengths", "the response is not valid HTTP"),
        ("broken-chunks", "the response is not valid HTTP"),
        ("redirect-nowhere", "status 302"),
        ("empty-members?coding=gzip", "it has more than 10,000 members"),
        ("empty-members?coding=zstd", "it has more than 10,000 members|larger than 1000000 bytes"),
        ("empty-members?coding=zstd&skipped=yes", "larger than 1000000 bytes"),
        ("garbage-behind?coding=gzip", "larger than 1000000 bytes"),
        ("garbage-behind?coding=br", "it is not a valid brotli stream"),
        ("chunk-extension", "larger than 1000000 bytes"),
        ("endless-trailer", "larger than 1000000 bytes|the headers of the response are too large"),
    ],
)
def test_a_fault_of_the_site_is_one_clear_error(
    client: HttpClient, server: Server, path: str, message: str
) -> None:
    url = server.url(f"/bad/{path}")
    with pytest.raises(FetchError, match=message) as caught:
        send(client, Request(url))
    assert caught.value.at == url
    after = send(client, Request(server.url("/bad/empty")))
    assert isinstance(after, Response)


@pytest.mark.parametrize("path", ["never-answers", "drips?n=1000&ms=20", "slow?ms=5000"])
def test_a_slow_site_ends_at_the_total_timeout(client_with: Maker, server: Server, path: str) -> None:
    client = client_with(structs.replace(SETTINGS, timeout_ms=150))
    began = time.monotonic()
    with pytest.raises(FetchError, match="was not received within 150 ms"):
        send(client, Request(server.url(f"/bad/{path}")))
    assert time.monotonic() - began > 0.14
    assert isinstance(send(client, Request(server.url("/bad/empty"))), Response)


def test_an_endless_page_ends_at_the_timeout_when_the_size_allows_it(
    client_with: Maker, server: Server
) -> None:
    client = client_with(structs.replace(SETTINGS, timeout_ms=100, max_bytes=10**12))
    with pytest.raises(FetchError, match="was not received within 100 ms"):
        send(client, Request(server.url("/bad/never-ends")))


def test_a_page_of_just_the_limit_is_taken(client_with: Maker, server: Server) -> None:
    for coding in ("", "gzip", "br", "zstd"):
        path = f"/bad/gzip-bomb?mb=1&coding={coding}" if coding else "/bad/huge?mb=1"
        answer = send(client_with(structs.replace(SETTINGS, max_bytes=1_000_000)), Request(server.url(path)))
        assert isinstance(answer, Response)
        assert len(answer.body) == 1_000_000
        with pytest.raises(FetchError, match="larger than 999999 bytes"):
            send(client_with(structs.replace(SETTINGS, max_bytes=999_999)), Request(server.url(path)))


def test_hosts_that_fail_for_one_reason_have_one_cause_and_other_reasons_one_of_their_own() -> None:
    def cause(number: int, words: str, host: str) -> str:
        return wrong(number, words, f"http://{host}:81/x", connected=False, timeouts=SETTINGS.site()).cause

    lost = {cause(6, f"Could not resolve host: {host}", host) for host in ("a.example", "b.example")}
    assert lost == {"the host's name is unknown"}
    sizes = ("308402 > 307200", "307999 > 307200")
    large = {cause(56, f"Too large response headers: {size}", "a.example") for size in sizes}
    assert large == {"the headers of the response are too large (Too large response headers)"}
    reasons = ("certificate has expired", "self-signed certificate")
    assert [cause(60, f"SSL certificate problem: {reason}", "a.example") for reason in reasons] == [
        f"the host's certificate is not trusted (SSL certificate problem: {reason})" for reason in reasons
    ]


@pytest.mark.parametrize("how", ["", "?line=half", "?status=302"])
def test_an_answer_whose_headers_are_cut_off_is_not_a_page(
    client: HttpClient, server: Server, how: str
) -> None:
    with pytest.raises(FetchError, match="the headers of the response were cut off"):
        send(client, Request(server.url(f"/bad/truncated-headers{how}")))
    after = send(client, Request(server.url("/bad/empty"), lost=1))
    assert isinstance(after, Response)


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("reset", LoadFault("reset", True)),
        ("reset-midway", LoadFault("reset", True)),
        ("closes", LoadFault("reset", True)),
        ("truncated", LoadFault("truncated", True)),
        ("truncated-chunks", LoadFault("truncated", True)),
        ("truncated-coding?coding=gzip", LoadFault("truncated", True)),
        ("truncated-headers", LoadFault("truncated", True)),
        ("status/408", LoadFault("status 408", True, 408)),
        ("status/425", LoadFault("status 425", True, 425)),
        ("status/429", LoadFault("status 429", True, 429)),
        ("status/500", LoadFault("status 500", True, 500)),
        ("status/503", LoadFault("status 503", True, 503)),
        ("status/404", LoadFault("status 404", False, 404)),
        ("status/403", LoadFault("status 403", False, 403)),
        ("broken-coding?coding=gzip", LoadFault()),
        ("broken-chunks", LoadFault()),
        ("huge?mb=100", LoadFault()),
        ("two-lengths", LoadFault()),
        ("redirect-nowhere", LoadFault("status 302", False, 302)),
    ],
)
def test_a_failure_is_transient_if_another_attempt_may_load_the_page(
    client: HttpClient, server: Server, path: str, fault: LoadFault
) -> None:
    with pytest.raises(FetchError) as caught:
        send(client, Request(server.url(f"/bad/{path}")))
    assert caught.value.fault == fault


def test_a_timeout_is_transient(client_with: Maker, server: Server) -> None:
    client = client_with(structs.replace(SETTINGS, timeout_ms=150))
    with pytest.raises(FetchError) as caught:
        send(client, Request(server.url("/bad/never-answers")))
    assert caught.value.fault == LoadFault("timeout", True)


def test_a_refused_connection_is_transient_and_nothing_was_sent(client: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(FetchError) as caught:
        send(client, Request(f"http://127.0.0.1:{port}/"))
    assert caught.value.fault == LoadFault("connect", True, was_sent=False)


@pytest.mark.parametrize(
    ("number", "words", "reason"),
    [
        (6, "Could not resolve host: a.example", "dns"),
        (35, "Recv failure: Connection reset by peer", "reset"),
        (35, "TLS connect error: wrong version number", ""),
        (60, "SSL certificate problem: certificate has expired", ""),
        (3, "URL using bad/illegal format", ""),
    ],
)
def test_a_failure_before_the_request_is_transient_unless_it_is_a_mistake(
    number: int, words: str, reason: str
) -> None:
    error = wrong(number, words, "http://a.example/", connected=False, timeouts=SETTINGS.site())
    assert error.fault == LoadFault(reason, bool(reason), was_sent=False)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("99999999999999999999", LONGEST_RETRY_AFTER_S),
        ("Fri, 01 May 2026 12:01:00 GMT", 60.0),
        ("Friday, 01-May-26 12:01:00 GMT", 60.0),
        ("Fri, 01 May 2026 11:00:00 GMT", 0.0),
        ("Fri, 01 May 2096 12:00:00 GMT", LONGEST_RETRY_AFTER_S),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("Fri, 99 May 2026 12:01:00 GMT", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after_s(value, datetime(2026, 5, 1, 12, tzinfo=UTC)) == seconds


def test_the_seconds_that_a_server_asks_for_are_in_the_fault() -> None:
    error = status_fault(503, "http://a.example/", {"retry-after": "7"})
    assert error.fault == LoadFault("status 503", True, 503, 7.0)


@pytest.mark.parametrize(
    ("status", "site", "hint"),
    [
        (401, None, "the site requires a login or rejects robots"),
        (403, Site(), "the site requires a login or rejects robots"),
        (401, Site(auth=Auth(bearer="${env:KEY}")), "the site rejects the credentials in its `auth`"),
        (407, None, "the proxy of the environment (http_proxy, https_proxy) requires other credentials"),
    ],
)
def test_a_refused_login_has_a_hint_that_fits(status: int, site: Site | None, hint: str) -> None:
    assert status_fault(status, "http://a.example/", site=site).hint == hint


@pytest.mark.parametrize(
    ("led_by", "hint"),
    [("", "correct the url"), ("a redirect", "a redirect leads there; correct that, or the url of the page")],
)
def test_a_page_that_is_not_there_has_a_hint_that_fits(led_by: str, hint: str) -> None:
    assert status_fault(404, "http://a.example/", led_by=led_by).hint == hint


def test_a_fault_survives_pickling() -> None:
    error = status_fault(503, "http://a.example/", {"retry-after": "7"})
    assert pickle.loads(pickle.dumps(error)).fault == error.fault
