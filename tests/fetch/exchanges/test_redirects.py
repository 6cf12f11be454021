"""Redirects: one hop at a time, each with the host that must be asked for a grant."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.hop_results import Redirect, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from tests.fetch.exchanges.many import send
from tests.server.misbehaviours import PAGE
from tests.server.server import Server


def redirect(client: HttpClient, request: Request) -> Redirect:
    answer = send(client, request)
    assert isinstance(answer, Redirect)
    return answer


def to(server: Server, target: str, status: int = 302, fragment: str = "") -> Request:
    return Request(server.url(f"/bad/redirect?status={status}&to={quote(target, safe='')}{fragment}"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_returned_and_not_followed(client: HttpClient, server: Server, status: int) -> None:
    answer = redirect(client, to(server, "/x/y.html", status))
    assert answer.request == Request(server.url("/x/y.html"), None, 1, ())
    assert answer.host == server.host()
    assert len(server.log.all()) == 1


def test_of_two_location_headers_the_first_counts(client: HttpClient, server: Server) -> None:
    answer = redirect(client, Request(server.url("/bad/redirect-twice?to=/x.html")))
    assert answer.request.url == server.url("/x.html")


def test_a_redirect_to_another_host_names_that_host(client: HttpClient, server: Server) -> None:
    assert redirect(client, to(server, server.url("/x", 1).upper())).host == server.host(1)
    assert redirect(client, to(server, "//Example.org/x")).host == "example.org:80"
    assert redirect(client, to(server, "https://example.org")).host == "example.org:443"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("page.html", "/bad/page.html"),
        ("../page.html", "/page.html"),
        ("?q=1", "/bad/redirect?q=1"),
        (" /a b\t.html ", "/a%20b.html"),
        ("\\a\\b?c\\d", "/a/b?c\\d"),
        ("/#part", "/#part"),
    ],
)
def test_the_target_is_joined_to_the_page_that_sent_it(
    client: HttpClient, server: Server, target: str, expected: str
) -> None:
    assert redirect(client, to(server, target)).request.url == server.url(expected)


def test_a_fragment_stays_when_the_target_has_none(client: HttpClient, server: Server) -> None:
    assert redirect(client, to(server, "/x", fragment="#here")).request.url == server.url("/x#here")
    assert redirect(client, to(server, "/x#there", fragment="#here")).request.url == server.url("/x#there")


def test_a_target_in_raw_utf8_is_escaped(client: HttpClient, server: Server) -> None:
    answer = redirect(client, Request(server.url("/bad/redirect-raw")))
    assert answer.request.url == server.url("/bad/echo?q=s%C3%BC%C3%9F%20und%20gut#k%C3%A4se")
    echoed = send(client, answer.request)
    assert isinstance(echoed, Response)
    assert echoed.body.startswith(b"GET /bad/echo?q=s%C3%BC%C3%9F%20und%20gut HTTP/1.1")


@pytest.mark.parametrize(
    "target",
    [
        "ftp://x/y",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:,x",
        "http://",
        "http://a b/",
        "http://x:99999/",
    ],
)
def test_a_redirect_to_what_is_not_a_web_page_is_an_error(
    client: HttpClient, server: Server, target: str
) -> None:
    request = to(server, target)
    with pytest.raises(FetchError, match="redirected to") as caught:
        send(client, request)
    assert caught.value.at == request.url
    assert target not in caught.value.cause


def test_a_chain_is_followed_hop_by_hop(client: HttpClient, server: Server) -> None:
    request = Request(server.url("/bad/redirect-chain?n=5"))
    for hop in range(1, 6):
        request = redirect(client, request).request
        assert request.hops == hop
    answer = send(client, request)
    assert isinstance(answer, Response)
    assert (answer.body, answer.url) == (PAGE, server.url("/bad/redirect-chain?n=0"))


def test_a_circle_ends_at_the_most_redirects_allowed(client: HttpClient, server: Server) -> None:
    request = Request(server.url("/bad/redirect-loop"))
    for _ in range(5):
        request = redirect(client, request).request
    with pytest.raises(FetchError, match="more than 5 redirects"):
        send(client, request)
    assert len(server.log.all()) == 6


def test_a_cookie_lives_along_one_chain_and_no_longer(client: HttpClient, server: Server) -> None:
    wall = Request(server.url("/bad/cookie-wall"))
    through = redirect(client, wall).request
    assert isinstance(send(client, through), Response)
    assert isinstance(send(client, wall), Redirect)
    assert [seen.header("cookie") for seen in server.log.all()] == [None, "seen=1", None]


def test_a_cookie_can_be_carried_to_another_client_but_not_to_another_host(
    client: HttpClient, server: Server
) -> None:
    cookies = redirect(client, Request(server.url("/bad/cookie-wall"))).request.cookies
    send(client, Request(server.url("/bad/empty", 1), cookies=cookies))
    send(client, Request(server.url("/bad/empty", 0), cookies=cookies))
    assert [seen.header("cookie") for seen in server.log.all()] == [None, None, "seen=1"]
