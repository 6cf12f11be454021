"""Listener: one request a connection, with limits of bytes, time and connections."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from scoopi.metrics.http_response import HttpResponse, text_response
from scoopi.metrics.listener import MOST_BYTES, MOST_SCRAPES, Connection, Listener

LIMIT_S = 30.0


class Echo:
    """Answers with the path; `/held` waits until it is released, `/fault` raises."""

    paths = ("/metrics",)

    def __init__(self) -> None:
        self.held = threading.Semaphore(0)
        self.released = threading.Event()

    def response_to(self, path: str) -> HttpResponse:
        if path == "/held":
            self.held.release()
            assert self.released.wait(LIMIT_S)
        if path == "/fault":
            raise ValueError(path)
        return text_response(200, path)


@pytest.fixture
def echo() -> Echo:
    return Echo()


Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def listener(echo: Echo) -> Iterator[Listener]:
    with Listener("127.0.0.1", 0, echo, LIMIT_S) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        yield listener
        echo.released.set()
        listener.shutdown()
        thread.join()


@pytest.fixture
def ask(listener: Listener) -> Ask:
    def asked(path: str, method: str = "GET", host: str = "localhost") -> tuple[int, str]:
        port = listener.server_address[1]
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)) as connection:
            connection.request(method, path, headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.read().decode().strip()

    return asked


def test_an_answer_is_that_of_its_path_and_head_has_no_body(ask: Ask) -> None:
    assert ask("/metrics") == (200, "/metrics")
    assert ask("/metrics", "HEAD") == (200, "")
    assert ask("/metrics", "POST")[0] == 501


def test_a_fault_is_an_answer_and_the_next_request_is_served(
    ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    assert ask("/fault") == (500, "unexpected error; see the log")
    assert "no answer to /fault" in caplog.text
    assert ask("/metrics")[0] == 200


def test_a_foreign_host_is_refused(ask: Ask) -> None:
    status, text = ask("/metrics", host="evil.example")
    assert status == 421
    assert "evil.example" in text


def test_probes_are_answered_while_no_more_scrapes_are(ask: Ask, echo: Echo) -> None:
    threads = [threading.Thread(target=ask, args=("/held",)) for _ in range(MOST_SCRAPES)]
    for thread in threads:
        thread.start()
        assert echo.held.acquire(timeout=LIMIT_S)
    assert ask("/metrics") == (503, "too many concurrent requests; try again")
    assert ask("/healthz") == (200, "/healthz")
    echo.released.set()
    for thread in threads:
        thread.join()
    assert ask("/metrics")[0] == 200


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    with ExitStack() as opened:
        ends = socket.socketpair()
        for end in ends:
            opened.enter_context(end)
        yield ends


def test_no_more_than_the_most_bytes_of_a_request_are_read(pair: tuple[socket.socket, socket.socket]) -> None:
    mine, client = pair
    connection = Connection(mine, LIMIT_S)
    sender = threading.Thread(target=client.sendall, args=(b"x" * (MOST_BYTES + 1),))
    sender.start()
    read = 0
    while count := connection.readinto(bytearray(MOST_BYTES)):
        read += count
    assert read == MOST_BYTES
    assert mine.recv(1) == b"x", "the last byte is left"
    sender.join()


def test_a_connection_whose_time_is_over_is_neither_read_nor_written(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    mine, client = pair
    client.sendall(b"x")
    connection = Connection(mine, 0)
    with pytest.raises(TimeoutError):
        connection.readinto(bytearray(1))
    with pytest.raises(TimeoutError):
        connection.write(b"x")


def test_a_dropped_connection_is_at_its_end(pair: tuple[socket.socket, socket.socket]) -> None:
    connection = Connection(pair[0], LIMIT_S)
    connection.drop()
    assert connection.readinto(bytearray(1)) == 0
    connection.drop()
