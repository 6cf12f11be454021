"""WorkerSessions: cookies of a session are kept and sent as RFC 6265bis says, on whichever worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.hop_results import HopResult, Redirect
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from scoopi.model.site_session import MOST_COOKIES, Session
from scoopi.model.sites import Site
from scoopi.steps.loading.worker_sessions import WorkerSessions
from tests.fetch.conftest import SETTINGS
from tests.fetch.exchanges.many import send
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen
from tests.server.server import Server

SITE = Site(session="*.shop.localhost")
LINE = "a.example\tFALSE\t/\tFALSE\t0\tsid\t1"
NEVER = "Expires=Thu, 01 Jan 1970 00:00:00 GMT"


class Shop:
    """Answers the next request with these headers and this status."""

    def __init__(self) -> None:
        self.headers: tuple[tuple[str, str], ...] = ()
        self.status = 200

    def route(self, seen: Seen) -> tuple[str, Misbehaviour] | None:
        """All its pages."""
        return "shop", self.answer

    async def answer(self, exchange: Exchange) -> None:
        """Answer one request."""
        await exchange.send(Answer(b"<p>page", self.status, headers=self.headers))


class Visitor:
    """Two workers with a session in common, which take turns."""

    def __init__(self, shop: Shop, server: Server) -> None:
        self._shop = shop
        self._server = server
        self._workers = [(HttpClient(SETTINGS), WorkerSessions()) for _ in range(2)]
        self._session = Session(SITE.session)

    @property
    def kept(self) -> list[str]:
        """Names of the cookies of the session."""
        return [line.split("\t")[5] for line in self._session.cookies.values()]

    def get(
        self, url: str, *cookies: str, status: int = 200, location: str = ""
    ) -> tuple[str, Redirect | None]:
        """The Cookie header of a request that is answered with these Set-Cookie headers, and its redirect.

        Args:
            url: `host/path`, for the port of the server.
        """
        host, _, path = url.partition("/")
        headers = tuple(("Set-Cookie", cookie) for cookie in cookies)
        self._shop.headers = (*headers, ("Location", location)) if location else headers
        self._shop.status = status
        client, sessions = self._workers[0]
        self._workers.reverse()
        address = f"http://{host}:{self._server.port}/{path}"
        request = Request(address, site=SITE, cookies=sessions.cookies_for(SITE, ()))
        result: HopResult | Exception
        try:
            result = send(client, request)
        except FetchError as error:
            result = error
        sessions.note_result("job", request, result)
        for change in sessions.take():
            self._session = self._session.with_changes(change)
        for _, each in self._workers:
            each.learn(self._session)
        sent = self._server.log.all()[-1].header("Cookie") or ""
        return sent, result if isinstance(result, Redirect) else None

    def close(self) -> None:
        """Close the connections of all workers."""
        for client, _ in self._workers:
            client.close()


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    shop = Shop()
    with Server(lambda path: b"", route=shop.route) as server:
        visitor = Visitor(shop, server)
        yield visitor
        visitor.close()


A, B = "a.shop.localhost", "b.shop.localhost"
ROOT, UNDER, BESIDE, SISTER, PARENT = f"{A}/", f"{A}/x/y", f"{A}/xy", f"{B}/", "shop.localhost/"
PLACES = {ROOT, f"{A}/x", UNDER, BESIDE, SISTER, PARENT, "other.localhost/"}
ON_A = {ROOT, f"{A}/x", UNDER, BESIDE}
UNDER_X = {f"{A}/x", UNDER}


@pytest.mark.parametrize(
    ("cookie", "sent"),
    [
        ("k=1", ON_A),
        ("k=1; Path=/x", UNDER_X),
        ("k=1; Path=x", ON_A),
        ("k=1; Path=/nowhere", set()),
        ("k=1; Domain=shop.localhost", {*ON_A, SISTER, PARENT}),
        ("k=1; Domain=.shop.localhost", {*ON_A, SISTER, PARENT}),
        ("k=1; DOMAIN=A.Shop.LocalHost", ON_A),
        (f"k=1; Domain={B}", set()),
        ("k=1; Domain=localhost", set()),
        ("k=1; Domain=op.localhost", set()),
        (f"k=1; Max-Age=1000; {NEVER}", ON_A),
        ("k=1; Max-Age=0", set()),
        (f"k=1; {NEVER}", set()),
        ("k=1; Secure", set()),
        ("__Secure-k=1", set()),
        ("__Host-k=1; Path=/", set()),
        ("k=1; HttpOnly; SameSite=Strict", ON_A),
        ("k=", ON_A),
        ('k="a b"', ON_A),
        ("k=a=b", ON_A),
        (f"k={'x' * 5000}", set()),
    ],
)
def test_a_cookie_is_sent_where_it_belongs(visitor: Visitor, cookie: str, sent: set[str]) -> None:
    visitor.get(ROOT, cookie)
    expected = cookie.partition(";")[0]
    got = {place: visitor.get(place)[0] for place in PLACES}
    assert got == {place: expected if place in sent else "" for place in PLACES}


def test_the_path_of_a_cookie_is_the_folder_of_its_page_by_default(visitor: Visitor) -> None:
    visitor.get(UNDER, "k=1")
    assert {place for place in PLACES if visitor.get(place)[0]} == UNDER_X


@pytest.mark.parametrize(
    ("cookie", "is_kept"),
    [
        ("k=1; Secure", True),
        ("__Secure-k=1; Secure", True),
        ("__Secure-k=1", False),
        ("__Host-k=1; Secure; Path=/", True),
        ("__Host-k=1; Secure; Path=/x", False),
        ("__Host-k=1; Path=/", False),
    ],
)
def test_prefixes_of_names_are_promises_about_secure_cookies(
    visitor: Visitor, cookie: str, is_kept: bool
) -> None:
    visitor.get("127.0.0.1/", cookie)  # counts as secure, without TLS
    sent = cookie.partition(";")[0]
    assert visitor.get("127.0.0.1/")[0] == (sent if is_kept else "")


@pytest.mark.parametrize("removal", ["k=; Max-Age=0", f"k=; {NEVER}", "k=gone; Max-Age=-1"])
def test_a_removed_cookie_is_gone_from_all_workers(visitor: Visitor, removal: str) -> None:
    visitor.get(ROOT, "k=1; HttpOnly", "j=1; Path=/x", "j=2")
    assert visitor.get(ROOT, removal)[0] in ("k=1; j=2", "j=2; k=1")
    assert [visitor.get(ROOT)[0] for _ in range(2)] == ["j=2", "j=2"]
    assert visitor.get(UNDER)[0] == "j=1; j=2"  # the longer path first
    assert sorted(visitor.kept) == ["j", "j"]


def test_a_cookie_is_replaced_by_one_of_the_same_name_domain_and_path_only(visitor: Visitor) -> None:
    visitor.get(ROOT, "k=1; HttpOnly")
    visitor.get(ROOT, "k=2")
    assert visitor.kept == ["k"]
    visitor.get(ROOT, "k=3; Domain=shop.localhost", "k=4; Path=/x")
    assert sorted(visitor.get(UNDER)[0].split("; ")) == ["k=2", "k=3", "k=4"]


@pytest.mark.parametrize("status", [403, 404, 429, 503])
def test_an_answer_without_a_page_sets_cookies_too(visitor: Visitor, status: int) -> None:
    visitor.get(ROOT, "wall=passed", status=status)
    assert visitor.get(ROOT)[0] == "wall=passed"
    visitor.get(ROOT, "wall=; Max-Age=0", status=status)
    assert visitor.get(ROOT)[0] == ""


def test_a_redirect_sets_cookies_also_for_other_hosts_of_its_session(visitor: Visitor) -> None:
    cookies = ("own=1", "all=2; Domain=shop.localhost")
    _, redirect = visitor.get(ROOT, *cookies, status=302, location="http://b.shop.localhost/")
    assert redirect is not None
    assert visitor.get(SISTER)[0] == "all=2"
    assert sorted(visitor.get(ROOT)[0].split("; ")) == ["all=2", "own=1"]


def test_a_jar_that_grows_without_end_keeps_its_latest_cookies(visitor: Visitor) -> None:
    for first in range(0, MOST_COOKIES + 50, 50):
        visitor.get(f"{A}/x/", *(f"k{number}={'v' * 1000}" for number in range(first, first + 50)))
    assert len(visitor.kept) == MOST_COOKIES
    assert visitor.kept[-1] == f"k{MOST_COOKIES + 49}"
    sent, _ = visitor.get(UNDER)
    assert 1000 < len(sent) < 8192  # as much as servers accept


def test_own_changes_are_used_at_once_and_reported_once() -> None:
    sessions = WorkerSessions()
    sessions.note("s", "job", [], [LINE])
    assert list(sessions.get("s").cookies.values()) == [LINE]
    assert [change.job for change in sessions.take()] == ["job"]
    assert sessions.take() == []


def test_what_the_parent_knows_is_taken_over() -> None:
    sessions = WorkerSessions()
    sessions.learn(Session("s", version=2))
    assert sessions.get("s").version == 2
