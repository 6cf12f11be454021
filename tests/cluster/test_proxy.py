"""The proxy does what its plan says, so that tests behind it prove something."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.cluster.proxy import Plan, Proxy


class Echo:
    """Answers each chunk with the same, and keeps what it got."""

    def __init__(self) -> None:
        self.got = b""
        self.ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            while data := connection.recv(1000):
                self.got += data
                try:
                    connection.sendall(data)
                except OSError:
                    continue
        self.ended.set()

    def close(self) -> None:
        self._listener.close()
        self._thread.join(5)


@pytest.fixture
def echo() -> Iterator[Echo]:
    echo = Echo()
    yield echo
    echo.close()


def ask(proxy: Proxy, *requests: bytes) -> list[bytes]:
    answers = []
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        for request in requests:
            client.sendall(request)
            answers.append(client.recv(1000))
    return answers


def test_without_faults_all_passes(echo: Echo) -> None:
    with Proxy(target=echo.port) as proxy:
        assert ask(proxy, b"one", b"two") == [b"one", b"two"]
    assert (proxy.cuts, proxy.drops, proxy.delays) == (0, 0, 0)


def test_a_cut_comes_after_the_request_and_before_its_answer(echo: Echo) -> None:
    with Proxy(Plan(cut=1.0, spared=1), target=echo.port) as proxy:
        assert ask(proxy, b"one", b"two") == [b"one", b""]
        assert echo.ended.wait(60)
    assert echo.got == b"onetwo"
    assert proxy.cuts == 1


def test_what_is_dropped_never_arrives(echo: Echo) -> None:
    with Proxy(Plan(drop=1.0, spared=1), target=echo.port) as proxy:
        assert ask(proxy, b"one", b"two") == [b"one", b""]
        assert echo.ended.wait(60)
    assert echo.got == b"one"
    assert proxy.drops == 1


def test_what_is_delayed_arrives(echo: Echo) -> None:
    with Proxy(Plan(delay=1.0, delay_ms=20, spared=0), target=echo.port) as proxy:
        assert ask(proxy, b"one", b"two") == [b"one", b"two"]
    assert proxy.delays == 2
