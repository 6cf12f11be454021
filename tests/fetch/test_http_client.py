"""HttpClient against a real server: pages, codings, connections."""

from __future__ import annotations

import socket
import sys
import threading
from pathlib import Path

import pytest
from msgspec import structs

from scoopi.errors import FetchError
from scoopi.fetch.hop_results import HopResult, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from tests.engine.workspace import LIMIT_S, wait_until
from tests.fetch.conftest import SETTINGS, Maker
from tests.fetch.exchanges.many import answers_of, page, send
from tests.server.misbehaviours import PAGE
from tests.server.server import Server


def test_a_page_comes_with_status_headers_charset_and_address(
    client: HttpClient, server: Server, pages: Path
) -> None:
    (pages / "a.html").write_bytes(PAGE)
    answer = page(client, server.url("/a.html#top"))
    assert (answer.status, answer.body, answer.charset) == (200, PAGE, "utf-8")
    assert answer.url == server.url("/a.html#top")
    assert answer.headers["content-length"] == str(len(PAGE))
    assert server.log.paths() == ["/a.html"]


def test_the_client_sends_its_user_agent_and_what_it_accepts(client: HttpClient, server: Server) -> None:
    page(client, server.url("/bad/echo"))
    (seen,) = server.log.all()
    assert seen.header("user-agent") == "Scoopi/test"
    assert seen.header("accept-encoding") == "gzip, br, zstd"
    assert seen.header("cookie") is None
    assert seen.header("referer") is None


@pytest.mark.parametrize(
    "coding",
    ["gzip", "x-gzip", "deflate", "raw-deflate", "br", "zstd", "identity", "gzip+br", "zstd+gzip+br"],
)
def test_content_codings_are_undone(client: HttpClient, server: Server, pages: Path, coding: str) -> None:
    body = PAGE * 3000
    (pages / "a.html").write_bytes(body)
    assert page(client, server.url(f"/enc/{coding}/a.html")).body == body


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_an_empty_page_in_a_coding_is_empty(
    client: HttpClient, server: Server, pages: Path, coding: str
) -> None:
    (pages / "a.html").write_bytes(b"")
    assert page(client, server.url(f"/enc/{coding}/a.html")).body == b""


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html", None),
        ("-", None),
        ("text/html; charset=ISO-8859-1", "ISO-8859-1"),
        ('text/html;CHARSET="utf-16"', "utf-16"),
        ("text/html; charset='koi8-r'", "koi8-r"),
        ("text/html; charset=", None),
        ("text/html; boundary=x; charset = euc-jp ; y=z", "euc-jp"),
    ],
)
def test_the_charset_is_the_one_of_the_content_type(
    client: HttpClient, server: Server, pages: Path, content_type: str, charset: str | None
) -> None:
    (pages / "a.html").write_bytes(PAGE)
    quoted = content_type.replace(" ", "%20").replace(";", "%3B").replace("/", "%2F")
    assert page(client, server.url(f"/type/{quoted}/a.html")).charset == charset


def test_pages_of_one_host_come_over_one_connection(client: HttpClient, server: Server, pages: Path) -> None:
    (pages / "a.html").write_bytes(PAGE)
    for _ in range(5):
        page(client, server.url("/a.html"))
    with pytest.raises(FetchError):
        send(client, Request(server.url("/bad/status/404")))
    page(client, server.url("/a.html"))
    assert {seen.connection for seen in server.log.all()} == {1}


def test_a_reused_connection_that_died_is_replaced(client: HttpClient, server: Server) -> None:
    for _ in range(3):
        ((_, answer),) = answers_of(client, [server.url("/bad/closes-after")], at_a_time=1)
        assert isinstance(answer, Response)
        assert answer.body == PAGE
    assert len(server.log.all()) == 3


def test_bytes_come_unchanged_whatever_their_content_type(client: HttpClient, server: Server) -> None:
    assert page(client, server.url("/bad/binary-as-html")).body.startswith(b"\x89PNG")
    assert page(client, server.url("/bad/wrong-charset")).body == PAGE.decode().encode("windows-1252")


def test_an_empty_body_with_status_200_is_a_page(client: HttpClient, server: Server) -> None:
    assert page(client, server.url("/bad/empty")).body == b""


def test_an_answer_with_status_200_is_a_page(client: HttpClient, server: Server) -> None:
    assert page(client, server.url("/bad/status/200")).body == PAGE


@pytest.mark.parametrize(
    "status", [201, 202, 203, 204, 205, 206, 299, 300, 304, 401, 403, 404, 410, 429, 500, 503, 999]
)
def test_any_other_status_is_an_error_that_names_it(client: HttpClient, server: Server, status: int) -> None:
    url = server.url(f"/bad/status/{status}")
    with pytest.raises(FetchError, match=f"status {status}") as caught:
        send(client, Request(url))
    assert caught.value.at == url


def test_headers_of_an_announcement_are_not_those_of_the_page(client: HttpClient, server: Server) -> None:
    answer = page(client, server.url("/bad/early-hints"))
    assert answer.body == PAGE
    assert "link" not in answer.headers


def test_a_proxy_of_the_environment_is_asked(
    client: HttpClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url(""))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(FetchError, match="status 404"):
        send(client, Request("http://shop.example/a.html"))
    assert [(seen.host, seen.path) for seen in server.log.all()] == [
        ("shop.example", "http://shop.example/a.html")
    ]


def test_an_idle_client_holds_no_page(client: HttpClient, server: Server) -> None:
    body = page(client, server.url("/bad/slow?ms=0")).body
    assert body == PAGE
    assert sys.getrefcount(body) == 2  # of this name, and of the call


def test_many_pages_at_a_time_do_not_disturb_each_other(
    client: HttpClient, server: Server, pages: Path
) -> None:
    for number in range(4):
        (pages / f"{number}.html").write_bytes(b"%d" % number * 50_000)
    urls = [f"http://localhost:{server.port}/{number % 4}.html" for number in range(200)]
    answers = answers_of(client, urls, at_a_time=20)
    bodies = [(url, answer.body) for url, answer in answers if isinstance(answer, Response)]
    assert sorted(url for url, _ in bodies) == sorted(urls)
    assert all(body == url[-6].encode() * 50_000 for url, body in bodies)
    seen = server.log.all()
    assert len(seen) == 200
    assert len({each.connection for each in seen}) <= 20


def test_requests_wait_for_one_another_where_few_connections_may_be_open(
    client_with: Maker, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.fetch.http_client.connection_limit", lambda: 3)
    urls = [server.url("/bad/slow?ms=20", number % 4) for number in range(24)]
    answers = answers_of(client_with(SETTINGS), urls, at_a_time=12)
    assert all(isinstance(answer, Response) for _, answer in answers)
    assert 1 < server.log.most_in_flight() <= 3


def test_a_slow_page_delays_no_other(client: HttpClient, server: Server) -> None:
    slow, quick = server.url("/bad/slow?ms=400"), server.url("/bad/empty")
    answers = answers_of(client, [slow, *[quick] * 10], at_a_time=2)
    assert [url for url, _ in answers] == [*[quick] * 10, slow]


def test_a_failure_is_that_of_its_own_page_only(client: HttpClient, server: Server) -> None:
    urls = [
        server.url("/bad/empty"),
        server.url("/bad/status/500"),
        "http://127.0.0.1:1/",
        server.url("/bad/empty"),
    ]
    came = dict(answers_of(client, urls, at_a_time=4))
    assert isinstance(came[urls[0]], Response)
    assert "status 500" in str(came[urls[1]])
    assert "refuses the connection" in str(came[urls[2]])


def test_a_turn_that_waits_is_ended_from_another_thread(client: HttpClient, server: Server) -> None:
    answers: list[HopResult | Exception] = []
    client.begin(Request(server.url("/bad/slow?ms=60000")), answers.append)
    is_over = threading.Event()

    def turn() -> None:
        while not is_over.is_set():
            client.turn(3600.0)  # the first ones end with the connection and with the request

    turning = threading.Thread(target=turn, daemon=True)
    turning.start()
    wait_until(server.log.all, "the request")
    is_over.set()
    client.wake()
    turning.join(LIMIT_S)
    assert not turning.is_alive()
    assert answers == []


def test_a_connection_that_is_not_accepted_ends_at_the_connect_timeout(client_with: Maker) -> None:
    client = client_with(structs.replace(SETTINGS, connect_timeout_ms=150))
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        callers = [socket.socket() for _ in range(4)]
        for caller in callers:
            caller.setblocking(False)
            caller.connect_ex(deaf.getsockname())
        with pytest.raises(FetchError, match="no connection within 150 ms"):
            send(client, Request(f"http://127.0.0.1:{deaf.getsockname()[1]}/"))
        for caller in callers:
            caller.close()


def test_a_refused_connection_is_an_error(client: HttpClient) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(FetchError, match="refuses the connection"):
        send(client, Request(f"http://127.0.0.1:{port}/"))


def test_an_unknown_host_is_an_error(client: HttpClient) -> None:
    # curl refuses .onion by itself (RFC 7686), so this asks no network.
    with pytest.raises(FetchError, match="host's name is unknown"):
        send(client, Request("http://nowhere.onion/"))


def test_a_password_in_an_address_is_not_shown(client: HttpClient, server: Server) -> None:
    url = server.url("/bad/status/500").replace("http://", "http://me:secret@")
    with pytest.raises(FetchError) as caught:
        send(client, Request(url))
    assert "secret" not in str(caught.value)
    assert server.log.all()[0].header("authorization") is not None
