"""Only the time in which a client polls its connections counts towards the connect timeout."""

from __future__ import annotations

import threading
import time

import pytest
from msgspec import structs

from scoopi.errors import SilentHostError
from scoopi.fetch.hop_results import HopResult, Response
from scoopi.fetch.request import Request
from tests.engine.dead_hosts import DeadHosts
from tests.fetch.conftest import SETTINGS, Maker
from tests.fetch.exchanges.many import send
from tests.server.server import Server

CONNECT_MS = 200


def test_a_client_that_was_busy_does_not_report_a_connect_timeout(client_with: Maker, server: Server) -> None:
    client = client_with(structs.replace(SETTINGS, connect_timeout_ms=CONNECT_MS))
    answers: list[HopResult | Exception] = []
    client.begin(Request(server.url("/bad/empty")), answers.append)
    client.turn(0.0)
    threading.Event().wait(2 * CONNECT_MS / 1000)  # as steps that take long, on one core
    end = time.monotonic() + 10
    while not answers and time.monotonic() < end:
        client.turn()
    assert isinstance(answers[0], Response), answers


def test_a_host_that_does_not_accept_a_polled_connection_is_an_error(client_with: Maker) -> None:
    client = client_with(structs.replace(SETTINGS, connect_timeout_ms=CONNECT_MS))
    with DeadHosts() as dead, pytest.raises(SilentHostError, match="no connection within 200 ms"):
        send(client, Request(dead.urls(1)[0]))
