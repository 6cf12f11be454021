"""PageRoom: pages that come together hold bounded memory, and all of them come in the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from scoopi.fetch.reception import WAIT, PageRoom, Reception
from scoopi.fetch.request import Response
from tests.fetch.conftest import SETTINGS
from tests.fetch.many import answers_of
from tests.fetch.test_http_client import Maker
from tests.server.server import Server


def receptions(room: PageRoom, count: int) -> list[Reception]:
    made = [Reception(10_000, room) for _ in range(count)]
    for each in made:
        each.take_header(b"HTTP/1.1 200 OK\r\n")
        each.take_header(b"\r\n")
    return made


def test_when_the_room_is_full_one_continues_and_the_others_wait_for_its_end() -> None:
    room = PageRoom(100)
    one, two, three = receptions(room, 3)
    assert [each.take_body(bytes(60)) for each in (one, two)] == [None, None]
    assert [each.take_body(bytes(60)) for each in (two, one, three, two)] == [None, WAIT, WAIT, None]
    assert not room.reopens(), "nothing has ended"
    two.reset()
    assert room.reopens()
    assert not room.reopens(), "they were let continue once"
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


def test_a_page_that_found_no_room_and_is_too_large_is_refused(client_with: Maker, server: Server) -> None:
    client = client_with(structs.replace(SETTINGS, max_held_bytes=1))
    urls = [server.url("/bad/huge?mb=3", number) for number in range(4)]
    answers = [answer for _, answer in answers_of(client, urls, at_a_time=4)]
    assert ["larger than 1000000 bytes" in str(answer) for answer in answers] == [True] * 4
