"""HTTP/2, where a site's entry asks for it: what a server says it has not processed is sent again, once."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.fetch.hop_results import GrantNeeded, HopResult, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.http_exchange import MOST_REFUSALS
from scoopi.fetch.request import Request
from scoopi.model.locator import PageRequest
from scoopi.model.sites import Site
from tests.fetch.conftest import SETTINGS
from tests.fetch.exchanges.many import send
from tests.server.http2_server import End, Http2Server

PAGES, AT_A_TIME = 60, 8


@pytest.fixture
def site(certificate: tuple[Path, Path]) -> Site:
    """With HTTP/2, and the server's authority."""
    return Site(http2=True, ca=str(certificate[0]))


def load(
    client: HttpClient, server: Http2Server, site: Site, on_sent: Callable[[], None] = lambda: None
) -> list[HopResult | Exception]:
    """The ends of many pages; a request that needs another grant is sent again, as the engine does."""
    waiting = deque(Request(server.url(f"/{number}"), site=site) for number in range(PAGES))
    ended: list[HopResult | Exception] = []
    under_way = 0

    def begin(request: Request) -> None:
        def take(result: HopResult | Exception) -> None:
            nonlocal under_way
            under_way -= 1
            if isinstance(result, GrantNeeded):
                waiting.append(replace(request, lost=request.lost + result.was_lost))
            else:
                ended.append(result)

        client.begin(request, take, on_sent)

    while waiting or under_way:
        while waiting and under_way < AT_A_TIME:
            under_way += 1
            begin(waiting.popleft())
        client.turn()
    return ended


def test_pages_share_a_connection(certificate: tuple[Path, Path], site: Site) -> None:
    with Http2Server(certificate, every=PAGES + 1) as server:
        client = HttpClient(SETTINGS)
        ended = load(client, server, site)
        client.close()
    assert {end.body.decode() for end in ended if isinstance(end, Response)} == {
        f"<p>/{number}" for number in range(PAGES)
    }
    assert {asked.connection for asked in server.asked} == {1}


def test_no_page_is_lost_or_processed_twice_when_a_server_ends_connections(
    certificate: tuple[Path, Path], site: Site
) -> None:
    with Http2Server(certificate, End.GOAWAY, every=7) as server:
        client = HttpClient(SETTINGS)
        ended = load(client, server, site)
        client.close()
    assert all(isinstance(end, Response) for end in ended), ended
    assert Counter(server.answered()) == Counter(f"/{number}" for number in range(PAGES))
    assert len({asked.connection for asked in server.asked}) > PAGES // 7
    assert any(not asked.is_answered for asked in server.asked), "requests were under way when it ended"


@pytest.mark.parametrize("end", [End.GOAWAY, End.CUT, End.REFUSED])
def test_no_request_is_sent_without_a_report(certificate: tuple[Path, Path], site: Site, end: End) -> None:
    reports: list[int] = []
    with Http2Server(certificate, end, every=7) as server:
        client = HttpClient(SETTINGS)
        load(client, server, site, lambda: reports.append(1))
        client.close()
    assert 0 < len(server.asked) <= len(reports)


def test_pages_of_connections_that_are_cut_may_be_tried_again(
    certificate: tuple[Path, Path], site: Site
) -> None:
    with Http2Server(certificate, End.CUT, every=7) as server:
        client = HttpClient(SETTINGS)
        ended = load(client, server, site)
        client.close()
    faults = [end.fault for end in ended if isinstance(end, FetchError)]
    assert faults
    assert {(fault.reason, fault.is_transient) for fault in faults} == {("reset", True)}
    assert len(ended) == PAGES


def test_a_server_that_refuses_each_request_is_not_asked_for_ever(
    certificate: tuple[Path, Path], site: Site
) -> None:
    with Http2Server(certificate, End.REFUSED) as server:
        client = HttpClient(SETTINGS)
        ended = load(client, server, site)
        client.close()
    assert all(isinstance(end, FetchError) and end.fault.is_transient for end in ended), ended
    assert max(Counter(asked.path for asked in server.asked).values()) == MOST_REFUSALS + 1


def test_what_must_not_be_sent_twice_and_other_sites_do_not_speak_it(
    certificate: tuple[Path, Path], site: Site
) -> None:
    with Http2Server(certificate) as server:
        client = HttpClient(SETTINGS)
        for request in (
            Request(server.url("/a"), site=site, content=PageRequest("POST", form=(("a", "b"),))),
            Request(server.url("/b"), site=replace(site, http2=False)),
        ):
            with pytest.raises(FetchError):
                send(client, request)
        assert isinstance(send(client, Request(server.url("/c"), site=site)), Response)
        client.close()
    assert (server.other_protocols, server.answered()) == (2, ["/c"])
