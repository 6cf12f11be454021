"""Reception, BufferLimit: headers as they arrive, and bounded memory for the pages received together."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pycurl
import pytest
from msgspec import structs

from scoopi.fetch.hop_results import Response
from scoopi.fetch.reception import MOST_ERROR_BYTES, STOP, WAIT, BufferLimit, Reception, WireWatch
from tests.fetch.conftest import SETTINGS, Maker
from tests.fetch.exchanges.many import answers_of
from tests.server.server import Server


def headed(*lines: bytes) -> Reception:
    made = Reception(10_000, BufferLimit(10_000))
    for line in lines:
        made.take_header(line)
    return made


def test_headers_after_a_1xx_replace_those_before_it() -> None:
    reception = headed(b"HTTP/1.1 103 Early Hints\r\n", b"Link: <a>\r\n", b"\r\n", b"HTTP/1.1 200 OK\r\n")
    assert (reception.status, reception.headers, reception.is_headed) == (200, {}, False)


def test_values_of_a_repeated_header_are_joined_and_of_locations_the_first_counts() -> None:
    reception = headed(
        b"HTTP/1.1 302 Found\r\n", b"A: 1\r\n", b"Location: /x\r\n", b"a:2 \r\n", b"LOCATION: /y\r\n"
    )
    assert reception.headers == {"a": "1, 2", "location": "/x"}


@pytest.mark.parametrize(
    ("header", "charset"),
    [
        (b"text/html; charset=koi8-r", "koi8-r"),
        (b'text/html;Charset = "UTF-8"; a=b', "UTF-8"),
        (b"text/html; charset=' '", None),
        (b"text/html", None),
    ],
)
def test_the_charset_is_that_of_the_content_type(header: bytes, charset: str | None) -> None:
    assert headed(b"HTTP/1.1 200 OK\r\n", b"Content-Type: " + header + b"\r\n").charset == charset


def test_the_body_of_an_error_is_read_to_a_limit_and_discarded() -> None:
    reception = headed(b"HTTP/1.1 500 Oops\r\n", b"\r\n")
    assert [reception.take_body(bytes(size)) for size in (MOST_ERROR_BYTES, 1)] == [None, STOP]
    assert reception.finish() == b""


@pytest.mark.parametrize("length", [b"10001", b"0" * 5000 + b"10001", b"9" * 5000])
def test_a_page_that_announces_more_than_the_limit_is_stopped_at_its_first_byte(length: bytes) -> None:
    reception = headed(b"HTTP/1.1 200 OK\r\n", b"Content-Length: " + length + b"\r\n", b"\r\n")
    assert reception.take_body(b"x") == STOP
    assert reception.fault == "the page is larger than 10000 bytes"
    assert reception.hint == "raise scoopi.loader.maxBytes"


@pytest.mark.parametrize("length", [b"", b"0", b"10000", b"-5", b"1e9", b"10001, 10001"])
def test_a_page_that_announces_no_more_than_the_limit_is_received(length: bytes) -> None:
    reception = headed(b"HTTP/1.1 200 OK\r\n", b"Content-Length: " + length + b"\r\n", b"\r\n")
    assert reception.take_body(b"x") is None


@pytest.mark.parametrize("status", [b"9" * 5000, b"20", b"2000", b"OK"])
def test_a_status_without_three_digits_is_none(status: bytes) -> None:
    assert headed(b"HTTP/1.1 " + status + b" OK\r\n").status == 0


def receptions(limit: BufferLimit, count: int) -> list[Reception]:
    made = [Reception(10_000, limit) for _ in range(count)]
    for each in made:
        each.take_header(b"HTTP/1.1 200 OK\r\n")
        each.take_header(b"\r\n")
    return made


def test_when_the_room_is_full_one_continues_and_the_others_wait_for_its_end() -> None:
    limit = BufferLimit(100)
    one, two, three = receptions(limit, 3)
    assert [each.take_body(bytes(60)) for each in (one, two)] == [None, None]
    assert [each.take_body(bytes(60)) for each in (two, one, three, two)] == [None, WAIT, WAIT, None]
    assert not limit.reopens(), "nothing has ended"
    two.reset()
    assert limit.reopens()
    assert not limit.reopens(), "they were let continue once"
    assert [each.take_body(bytes(60)) for each in (one, three, one)] == [None, None, WAIT]
    assert len(one.finish()) == 120, "what had to wait is not counted twice"


@pytest.mark.parametrize("most", [1, 200_000])
def test_pages_that_find_no_room_come_whole_later(
    client_with: Maker, server: Server, pages: Path, most: int
) -> None:
    bodies = {f"/{number}.html": str(number).encode() * 300_000 for number in range(6)}
    for path, body in bodies.items():
        (pages / path[1:]).write_bytes(body)
    client = client_with(structs.replace(SETTINGS, max_held_bytes=most))
    urls = [
        server.url(f"/enc/gzip{path}" if number % 3 else path, number % 4)
        for path in bodies
        for number in range(4)
    ]
    answers = answers_of(client, urls, at_a_time=12)
    assert sorted(url for url, _ in answers) == sorted(urls)
    for url, answer in answers:
        assert isinstance(answer, Response), answer
        assert answer.body == bodies[url[url.rindex("/") :]]


def test_a_film_is_refused_at_its_first_byte() -> None:
    reception = headed(b"HTTP/1.1 200 OK\r\n", b"Content-Type: video/mp4\r\n", b"\r\n")
    assert reception.take_body(b"x") == STOP
    assert (reception.fault, reception.hint) == (
        "the page is video/mp4",
        "a page is HTML, XML, JSON or text",
    )


def test_a_page_that_found_no_room_and_is_too_large_is_refused(client_with: Maker, server: Server) -> None:
    client = client_with(structs.replace(SETTINGS, max_held_bytes=1))
    urls = [server.url("/bad/huge?mb=3", number) for number in range(4)]
    answers = [answer for _, answer in answers_of(client, urls, at_a_time=4)]
    assert ["larger than 1000000 bytes" in str(answer) for answer in answers] == [True] * 4


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
    watch = WireWatch()
    assert not watch.is_flooded(transfer.handle, MOST)
    transfer.receive(MOST)
    assert not watch.is_flooded(transfer.handle, MOST)
    transfer.receive(1)
    assert watch.is_flooded(transfer.handle, MOST)


def test_what_a_reused_connection_received_before_does_not_count(transfer: Transfer) -> None:
    watch = WireWatch()
    for _ in range(3):
        assert not watch.is_flooded(transfer.handle, MOST)
        transfer.receive(MOST)
        assert not watch.is_flooded(transfer.handle, MOST)
        watch.forget(transfer.handle)


def test_another_connection_of_a_transfer_counts_from_its_own_first_check(transfer: Transfer) -> None:
    watch, other = WireWatch(), Transfer()
    other.receive(10 * MOST)
    assert not watch.is_flooded(transfer.handle, MOST)
    transfer.client, other.client = other.client, transfer.client
    assert not watch.is_flooded(transfer.handle, MOST)
    other.close()


def test_a_transfer_without_a_connection_is_not_flooded(transfer: Transfer) -> None:
    transfer.close()
    assert not WireWatch().is_flooded(transfer.handle, MOST)
