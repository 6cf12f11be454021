"""What sites do to a fetcher: each is one clear error, in bounded time, and the client continues."""

from __future__ import annotations

import time

import pytest
from msgspec import structs

from scoopi.errors import FetchError
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.http_faults import fault
from scoopi.fetch.request import Request, Response
from tests.fetch.conftest import SETTINGS, Maker
from tests.fetch.many import send
from tests.server.server import Server


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("reset", "connection was lost"),
        ("reset-midway", "connection was lost"),
        ("closes", "closed the connection without an answer"),
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
        ("early-hints?only=yes", "closed the connection without an answer|connection was lost"),
        ("not-http", "does not speak HTTP"),
        ("endless-headers", "the headers of the answer are too large"),
        ("endless-header", "the headers of the answer are too large"),
        ("two-lengths", "the answer is not valid HTTP"),
        ("broken-chunks", "the answer is not valid HTTP"),
        ("redirect-nowhere", "status 302"),
        ("empty-members?coding=gzip", "it has more than 10,000 members"),
        ("empty-members?coding=zstd", "it has more than 10,000 members|larger than 1000000 bytes"),
        ("empty-members?coding=zstd&skipped=yes", "larger than 1000000 bytes"),
        ("garbage-behind?coding=gzip", "larger than 1000000 bytes"),
        ("garbage-behind?coding=br", "it is not a valid brotli stream"),
        ("chunk-extension", "larger than 1000000 bytes"),
        ("endless-trailer", "larger than 1000000 bytes|the headers of the answer are too large"),
    ],
)
def test_a_fault_of_the_site_is_one_clear_error(
    client: HttpClient, server: Server, path: str, message: str
) -> None:
    url = server.url(f"/bad/{path}")
    began = time.monotonic()
    with pytest.raises(FetchError, match=message) as caught:
        send(client, Request(url))
    assert caught.value.at == url
    assert time.monotonic() - began < 3
    after = send(client, Request(server.url("/bad/empty")))
    assert isinstance(after, Response)


@pytest.mark.parametrize("path", ["never-answers", "drips?n=1000&ms=20", "slow?ms=5000"])
def test_a_slow_site_ends_at_the_total_timeout(client_with: Maker, server: Server, path: str) -> None:
    client = client_with(structs.replace(SETTINGS, timeout_ms=150))
    began = time.monotonic()
    with pytest.raises(FetchError, match="did not come within 150 ms"):
        send(client, Request(server.url(f"/bad/{path}")))
    assert 0.14 < time.monotonic() - began < 2
    assert isinstance(send(client, Request(server.url("/bad/empty"))), Response)


def test_an_endless_page_ends_at_the_timeout_when_the_size_allows_it(
    client_with: Maker, server: Server
) -> None:
    client = client_with(structs.replace(SETTINGS, timeout_ms=100, max_bytes=10**12))
    with pytest.raises(FetchError, match="did not come within 100 ms"):
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
        return fault(number, words, f"http://{host}:81/x", connected=False, settings=SETTINGS).cause

    lost = {cause(6, f"Could not resolve host: {host}", host) for host in ("a.example", "b.example")}
    assert lost == {"the host's name is unknown"}
    sizes = ("308402 > 307200", "307999 > 307200")
    large = {cause(56, f"Too large response headers: {size}", "a.example") for size in sizes}
    assert large == {"the headers of the answer are too large (Too large response headers)"}
    reasons = ("certificate has expired", "self-signed certificate")
    assert [cause(60, f"SSL certificate problem: {reason}", "a.example") for reason in reasons] == [
        f"the host's certificate is not trusted (SSL certificate problem: {reason})" for reason in reasons
    ]


@pytest.mark.parametrize("how", ["", "?line=half", "?status=302"])
def test_an_answer_whose_headers_are_cut_off_is_not_a_page(
    client: HttpClient, server: Server, how: str
) -> None:
    with pytest.raises(FetchError, match="the headers of the answer were cut off"):
        send(client, Request(server.url(f"/bad/truncated-headers{how}")))
    after = send(client, Request(server.url("/bad/empty"), fresh=True))
    assert isinstance(after, Response)
