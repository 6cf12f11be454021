"""The head of a response is read from curl's lines, once something asks for it."""

from __future__ import annotations

import pytest

from scoopi.fetch.response_head import ResponseHead


def head_of(*lines: bytes) -> ResponseHead:
    head = ResponseHead()
    for line in lines:
        head.take(line)
    return head


def test_lines_that_come_after_a_first_look_count_too() -> None:
    head = head_of(b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n")
    assert (head.status, head.headers, head.is_complete) == (200, {"a": "1"}, False)
    head.take(b"a: 2\r\n")
    head.take(b"\r\n")
    assert (head.status, head.headers, head.is_complete) == (200, {"a": "1, 2"}, True)


def test_a_second_status_line_discards_the_headers_before_it() -> None:
    head = head_of(b"HTTP/1.1 103 Early Hints\r\n", b"Link: <a>\r\n", b"\r\n", b"HTTP/2 404\r\n")
    assert (head.status, head.headers, head.is_complete) == (404, {}, False)


def test_the_headers_of_one_response_do_not_change_with_the_next() -> None:
    head = head_of(b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b"\r\n")
    first = head.headers
    head.reset()
    assert (head.status, head.headers, head.is_complete) == (0, {}, False)
    for line in (b"HTTP/1.1 200 OK\r\n", b"A: 2\r\n"):
        head.take(line)
    assert (first, head.headers) == ({"a": "1"}, {"a": "2"})


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        (b"Name: a:b \r\n", {"name": "a:b"}),
        (b"Name:\r\n", {"name": ""}),
        (b"Name: \xc3\xa9\r\n", {"name": "é"}),
        (b"Name: \xe9\r\n", {"name": "é"}),
        (b"no colon\r\n", {}),
        (b"Name: " + b"x" * 5000 + b"\r\n", {"name": "x" * 5000}),
    ],
)
def test_a_header_is_read_the_same_way_whenever_it_comes(line: bytes, headers: dict[str, str]) -> None:
    for _ in range(2):  # the second time from the cache, if the line is short
        assert head_of(b"HTTP/1.1 200 OK\r\n", line).headers == headers


@pytest.mark.parametrize("line", [b"HTTP/1.1 2000 OK\r\n", b"HTTP/1.1 abc\r\n", b"HTTP/1.1\r\n"])
def test_a_status_line_without_a_status_of_three_digits_gives_none(line: bytes) -> None:
    assert head_of(line).status == 0
