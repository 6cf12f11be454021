"""WireWatch: bytes of a connection count from the first check of its transfer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import cast

import pycurl
import pytest

from scoopi.fetch.wire_watch import WireWatch

MOST = 1000


class Transfer:
    """In place of a curl handle: a connection that the test fills."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.client = socket.create_connection(listener.getsockname())
            self.site, _ = listener.accept()

    @property
    def handle(self) -> pycurl.Curl:
        return cast(pycurl.Curl, self)

    def getinfo(self, _: int) -> int:
        return self.client.fileno()

    def receive(self, size: int) -> None:
        self.site.sendall(bytes(size))
        left = size
        while left:
            left -= len(self.client.recv(left))

    def close(self) -> None:
        self.client.close()
        self.site.close()


@pytest.fixture
def transfer() -> Iterator[Transfer]:
    made = Transfer()
    yield made
    made.close()


def test_a_transfer_that_receives_more_than_the_limit_is_flooded(transfer: Transfer) -> None:
    watch = WireWatch(MOST)
    assert not watch.is_flooded(transfer.handle)
    transfer.receive(MOST)
    assert not watch.is_flooded(transfer.handle)
    transfer.receive(1)
    assert watch.is_flooded(transfer.handle)


def test_what_a_reused_connection_received_before_does_not_count(transfer: Transfer) -> None:
    watch = WireWatch(MOST)
    for _ in range(3):
        assert not watch.is_flooded(transfer.handle)
        transfer.receive(MOST)
        assert not watch.is_flooded(transfer.handle)
        watch.forget(transfer.handle)


def test_another_connection_of_a_transfer_counts_from_its_own_first_check(transfer: Transfer) -> None:
    watch, other = WireWatch(MOST), Transfer()
    other.receive(10 * MOST)
    assert not watch.is_flooded(transfer.handle)
    transfer.client, other.client = other.client, transfer.client
    assert not watch.is_flooded(transfer.handle)
    other.close()


def test_a_transfer_without_a_connection_is_not_flooded(transfer: Transfer) -> None:
    transfer.close()
    assert not WireWatch(MOST).is_flooded(transfer.handle)
