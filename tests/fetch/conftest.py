"""Fixtures of the fetch room."""

from __future__ import annotations

import itertools
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.configs.groups import WebClientSettings
from scoopi.fetch.http_client import HttpClient

SETTINGS = WebClientSettings(
    "Scoopi/test", timeout_ms=5_000, connect_timeout_ms=2_000, max_redirects=5, max_bytes=1_000_000
)


Maker = Callable[[WebClientSettings], HttpClient]


@pytest.fixture
def client() -> Iterator[HttpClient]:
    """Limits: 1 MB, 5 s, 5 redirects."""
    made = HttpClient(SETTINGS)
    yield made
    made.close()


@pytest.fixture
def client_with() -> Iterator[Maker]:
    """Makes clients with other limits and closes them."""
    made: list[HttpClient] = []

    def make(settings: WebClientSettings) -> HttpClient:
        made.append(HttpClient(settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1 and its key, made by openssl."""
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "certificate.pem", folder / "key.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    )
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(made)]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    return made, key


@pytest.fixture
def ends_at_second() -> Iterator[str]:
    """The address of a site that accepts the second request and closes its connection without a response."""
    yield from _site_that_fails_at_second(b"")


@pytest.fixture
def garbles_second() -> Iterator[str]:
    """The address of a site that answers the second request with the rest of the first response."""
    yield from _site_that_fails_at_second(b"xxxxx\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")


def _site_that_fails_at_second(response: bytes) -> Iterator[str]:
    numbers = itertools.count(1)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    while connection.recv(1 << 16):
                        if next(numbers) == 2:
                            connection.sendall(response)
                            break
                        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        listener.shutdown(socket.SHUT_RDWR)  # ends the wait of accept
