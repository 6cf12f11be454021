"""A public page cannot lead Scoopi to hosts of its own network."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.address import parse_address
from scoopi.fetch.connections.private_hosts import PrivateHosts, PrivateHostsRule, is_public_address
from scoopi.fetch.hop_results import Redirect, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from scoopi.model.job import JobPayload, seed_id
from scoopi.model.locator import Link, Locator
from scoopi.worker.links.child_jobs import ChildJobs
from tests.engine.politeness.linked_pages import linked_pages
from tests.engine.workspace import Workspace
from tests.fetch.conftest import SETTINGS
from tests.fetch.exchanges.many import send
from tests.server.server import ADDRESSES, Server

PRIVATE = (
    *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "100.100.100.200", "198.18.0.1", "224.0.0.1", "255.255.255.255"),
    *(
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
    ),
    *(
        "fc00::1",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "::7f00:1",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
    ),
    *("64:ff9b::a9fe:a9fe", "2001:0:4136:e378:8000:63bf:80ff:fffe", "", "a name"),
)
SPELLINGS = (
    *("127.0.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1", "127.1", "127.0.1"),
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "0",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "１２７.0.0.1",
    ),
)


@pytest.fixture
def client() -> Iterator[HttpClient]:
    made = HttpClient(SETTINGS)
    yield made
    made.close()


@pytest.fixture
def outside() -> Iterator[HttpClient]:
    """Treats the second address of the server as one of the internet."""
    made = HttpClient(SETTINGS, PrivateHosts("inside", lambda address: address == ADDRESSES[1]))
    yield made
    made.close()


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_of_the_internet_are_private(
    address: str, refused: Callable[[str], None]
) -> None:
    assert not is_public_address(address)
    refused(f"private address {address}")


@pytest.mark.parametrize("host", SPELLINGS)
def test_however_a_private_host_is_written_a_public_page_does_not_lead_there(
    client: HttpClient, server: Server, host: str, refused: Callable[[str], None]
) -> None:
    url = parse_address(f"http://{host}:{server.port}/bad/empty").url
    with pytest.raises(FetchError, match="a public page leads to the private address"):
        send(client, Request(url, public_only=True))
    assert server.log.all() == []
    refused(f"private host written as {host}")


def test_a_reused_connection_to_a_private_host_serves_no_link_of_a_public_page(
    client: HttpClient, server: Server, refused: Callable[[str], None]
) -> None:
    url = server.url("/bad/empty")
    assert isinstance(send(client, Request(url)), Response), "a locator of the user may be private"
    with pytest.raises(FetchError, match="private address"):
        send(client, Request(url, public_only=True))
    assert isinstance(send(client, Request(url)), Response)
    assert len(server.log.all()) == 2
    refused("private host over a reused connection")


def test_a_redirect_of_a_public_page_may_not_lead_to_a_private_host_over_any_number_of_hops(
    outside: HttpClient, server: Server, refused: Callable[[str], None]
) -> None:
    target = server.url("/bad/empty", 2)
    chain = server.url(f"/bad/redirect?to={server.url('/bad/redirect?to=' + target, 1)}", 1)
    first = send(outside, Request(chain))
    assert isinstance(first, Redirect)
    second = send(outside, first.request)
    assert isinstance(second, Redirect)
    assert [first.request.public_only, second.request.public_only] == [True, True]
    with pytest.raises(FetchError, match=r"leads to the private address 127\.0\.0\.3"):
        send(outside, second.request)
    assert server.log.paths(server.host(2)) == []
    refused("redirect of a public page to a private host")


def test_a_page_knows_whether_a_public_host_sent_it(outside: HttpClient, server: Server) -> None:
    pages = [send(outside, Request(server.url("/bad/empty", number))) for number in (0, 1, 1)]
    assert [isinstance(each, Response) and each.is_public for each in pages] == [False, True, True]


@pytest.mark.parametrize(
    ("rule", "of_private", "of_public"),
    [("always", False, False), ("inside", False, True), ("never", True, True)],
)
def test_links_may_lead_to_private_hosts_as_the_rule_allows(
    rule: PrivateHostsRule, of_private: bool, of_public: bool
) -> None:
    children = ChildJobs(lambda _: "h:80", 9, PrivateHosts(rule).must_be_public)
    parent = JobPayload(Locator("a", "list", "http://h/"), seed_id("list", "a", "http://h/"))
    for page_is_public, expected in ((False, of_private), (True, of_public)):
        (child,), _ = children.make(parent.seed, parent, [Link("page", "http://x/")], page_is_public)
        assert child.payload.public_only is expected


@pytest.mark.parametrize("path", ["/linked.html", "/bad/redirect?to={}"])
def test_a_run_that_may_never_be_led_to_private_hosts_loads_what_its_user_names(
    workspace: Workspace, server: Server, pages: Path, path: str, refused: Callable[[str], None]
) -> None:
    inner = server.url("/inner.html", 2)
    (pages / "inner.html").write_text("<p>inner</p>")
    (pages / "linked.html").write_text(f'<body><a href="{inner}">x</a></body>')
    (workspace.folder / "job.yml").write_text(linked_pages(server.url(path.format(inner))))
    assert workspace.scoopi("run", "job.yml", "--workers", 0, "--output", "open").code in (0, 1)
    assert [page.path for page in server.log.pages(server.host(2))] == ["/inner.html"], (
        "by default private pages lead anywhere"
    )
    workspace.settings["scoopi.loader.privateHosts"] = "never"
    ended = workspace.scoopi("run", "job.yml", "--workers", 0)
    assert ended.code == 1
    assert "a public page leads to a private address" in ended.err
    assert [page.path for page in server.log.pages(server.host(2))] == ["/inner.html"]
    refused(f"private host by {path}")


def test_no_connection_to_a_private_host_is_made(client: HttpClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        with pytest.raises(FetchError, match="private address"):
            send(client, Request(url, public_only=True))
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
