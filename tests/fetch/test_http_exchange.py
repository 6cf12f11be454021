"""HttpExchange: what a transfer that curl has ended means for its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pycurl
import pytest
from msgspec import structs

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.hop_results import GrantNeeded
from scoopi.fetch.http_exchange import HttpExchange
from scoopi.fetch.request import Request
from scoopi.fetch.request_options import trusted_certificates
from tests.fetch.conftest import SETTINGS
from tests.server.server import Server


@pytest.fixture
def exchange_with() -> Iterator[Callable[[WebClientSettings], HttpExchange]]:
    """Makes exchanges and closes them."""
    made: list[HttpExchange] = []

    def make(settings: WebClientSettings) -> HttpExchange:
        made.append(HttpExchange(settings, lambda _: None))
        return made[-1]

    yield make
    for each in made:
        each.close()


Maker = Callable[[WebClientSettings], HttpExchange]


@pytest.mark.parametrize("number", [pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR, pycurl.E_GOT_NOTHING])
def test_however_a_reused_connection_ended_its_request_was_lost(
    exchange_with: Maker, server: Server, number: int
) -> None:
    exchange = exchange_with(structs.replace(SETTINGS, timeout_ms=100))
    for path in ("empty", "never-answers"):
        exchange.begin(Request(server.url(f"/bad/{path}")), None)
        with suppress(pycurl.error):
            exchange.handle.perform()
    assert exchange.end(number) == GrantNeeded(was_lost=True)


@pytest.mark.parametrize(
    ("connect_ms", "timeout_ms", "attended_s", "number", "is_starved"),
    [
        (2_000, 5_000, 0.1, pycurl.E_OPERATION_TIMEDOUT, True),
        (2_000, 5_000, 2.0, pycurl.E_OPERATION_TIMEDOUT, False),
        (2_000, 0, 0.1, pycurl.E_OPERATION_TIMEDOUT, False),
        (2_000, 5_000, 0.1, pycurl.E_COULDNT_CONNECT, False),
    ],
)
def test_only_a_connect_timeout_that_was_not_attended_is_tried_again(
    exchange_with: Maker, connect_ms: int, timeout_ms: int, attended_s: float, number: int, is_starved: bool
) -> None:
    limits = structs.replace(SETTINGS, connect_timeout_ms=connect_ms, timeout_ms=timeout_ms)
    exchange = exchange_with(limits)
    assert exchange.begin(Request("http://127.0.0.1/"), None)
    assert exchange.was_starved(number, attended_s) is is_starved


def test_a_request_on_a_new_connection_that_ends_is_not_lost_but_an_error(
    exchange_with: Maker, server: Server
) -> None:
    exchange = exchange_with(SETTINGS)
    assert exchange.begin(Request(server.url("/bad/closes"), lost=1), None)
    with suppress(pycurl.error):
        exchange.handle.perform()
    with pytest.raises(FetchError, match="closed the connection without a response"):
        exchange.end(pycurl.E_GOT_NOTHING)


def test_the_environment_names_the_trusted_certificates_first() -> None:
    assert trusted_certificates({"SSL_CERT_FILE": "/a", "CURL_CA_BUNDLE": "/b"}) == "/a"
    assert trusted_certificates({"CURL_CA_BUNDLE": "/b"}) == "/b"
