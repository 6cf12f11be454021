"""Proxies, authorities and addresses of sites, each with a real server."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.requests.test_requests import requests_to, run
from tests.engine.workspace import Workspace
from tests.fetch.conftest import certificate  # noqa: F401 - a fixture
from tests.server.forward_proxy import ForwardProxy
from tests.server.server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(lambda path: b"<p>page</p>") as server:
        yield server


@pytest.fixture
def dead() -> Iterator[str]:
    """The address of a proxy that refuses connections."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


def urls(server: Server, count: int, number: int = 0) -> list[str]:
    return [f'url: "{server.url(f"/{each}", number)}"' for each in range(count)]


def test_the_requests_of_a_site_take_its_proxies_in_turn(workspace: Workspace, server: Server) -> None:
    with ForwardProxy() as one, ForwardProxy() as two:
        sites = f'sites: {{ "{server.host(0)}": {{ proxy: [ "{one.url}", "{two.url}" ] }} }}\n'
        run(workspace, [*urls(server, 6), *urls(server, 1, 1)], sites)
        assert (len(one.seen), len(two.seen)) == (3, 3)
    assert len(server.log.all()) == 7


def test_a_dead_proxy_loses_no_page_and_is_asked_once(
    workspace: Workspace, server: Server, dead: str
) -> None:
    with ForwardProxy() as alive:
        sites = f'sites: {{ "*": {{ proxy: [ "{dead}", "{alive.url}" ] }} }}\n'
        run(workspace, urls(server, 5), sites)
        assert len(alive.seen) == 5
    assert sum(workspace.rows().values()) == 5


def test_if_no_proxy_works_the_page_fails_and_the_message_names_none(
    workspace: Workspace, server: Server, dead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROXY", dead)
    said = run(workspace, urls(server, 1), 'sites: { "*": { proxy: "${env:PROXY}" } }\n', code=1)
    assert "none of the proxies of the site works" in said
    assert dead.removeprefix("http://") not in said
    assert requests_to(server) == []


def test_a_proxy_with_a_login_gets_it_and_the_site_does_not(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = "Basic " + base64.b64encode(b"me:canary").decode()
    with ForwardProxy(login) as proxy:
        monkeypatch.setenv("PROXY", proxy.url.replace("//", "//me:canary@"))
        run(workspace, urls(server, 1), 'sites: { "*": { proxy: "${env:PROXY}" } }\n')
    (request,) = requests_to(server)
    assert b"roxy-" not in request.head


def test_a_proxy_that_refuses_its_login_rests_and_another_one_is_taken(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ForwardProxy("Basic another") as refusing, ForwardProxy() as open_to_all:
        monkeypatch.setenv("PROXY", refusing.url.replace("//", "//me:canary@"))
        sites = f'sites: {{ "*": {{ proxy: [ "${{env:PROXY}}", "{open_to_all.url}" ] }} }}\n'
        run(workspace, urls(server, 3), sites)
        assert (len(refusing.seen), len(open_to_all.seen)) == (1, 3)
    assert sum(workspace.rows().values()) == 3
    with ForwardProxy("Basic another") as refusing:
        monkeypatch.setenv("PROXY", refusing.url)
        said = run(workspace, urls(server, 1), 'sites: { "*": { proxy: "${env:PROXY}" } }\n', code=1)
    assert "none of the proxies of the site works" in said


def test_direct_leaves_out_the_proxy_of_the_environment(
    workspace: Workspace, server: Server, dead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", dead)
    run(workspace, urls(server, 1), 'sites: { "*": { proxy: direct } }\n')
    assert len(requests_to(server)) == 1


@pytest.mark.parametrize(
    ("proxy", "message"),
    [
        ('"http://me:canary@10.0.0.1:3128"', "the proxy contains a login in plain text"),
        ("10.0.0.1:3128", "10.0.0.1:3128 is not the address of a proxy"),
        ('"http://10.0.0.1:65536"', "http://10.0.0.1:65536 is not the address of a proxy"),
        ('"http://${env:P}"', "${env:…} must be the whole value of a proxy"),
    ],
)
def test_what_is_not_a_proxy_is_an_error(workspace: Workspace, proxy: str, message: str) -> None:
    said = run(workspace, ["url: http://a.example/"], f'sites: {{ "*": {{ proxy: {proxy} }} }}\n', code=3)
    assert message in said
    assert "canary" not in said


def test_a_site_with_its_own_authority_is_trusted_and_no_other(
    workspace: Workspace,
    certificate: tuple[Path, Path],  # noqa: F811
) -> None:
    (workspace.folder / "own.pem").write_bytes(certificate[0].read_bytes())
    with Server(lambda path: b"<p>page</p>", tls=certificate) as server:
        sites = f'sites: {{ "{server.host(0)}": {{ ca: own.pem }} }}\n'
        run(workspace, urls(server, 1), sites)
        assert "certificate is not trusted" in run(workspace, urls(server, 1), code=1)
        with ForwardProxy() as proxy:
            sites = f'sites: {{ "*": {{ ca: own.pem, proxy: "{proxy.url}" }} }}\n'
            run(workspace, urls(server, 1), sites)
            assert proxy.seen == [f"CONNECT {server.host(0)}"]


def test_an_authority_that_is_not_there_is_an_error_of_definitions(workspace: Workspace) -> None:
    said = run(workspace, ["url: http://a.example/"], 'sites: { "*": { ca: not-there.pem } }\n', code=3)
    assert "ca: " in said
    assert "not-there.pem" in said
    (workspace.folder / "empty.pem").write_text("# none")
    said = run(workspace, ["url: http://a.example/"], 'sites: { "*": { ca: empty.pem } }\n', code=3)
    assert "the file has no readable certificates" in said


def test_a_host_that_is_an_ipv6_address_is_loaded_and_has_its_site(workspace: Workspace) -> None:
    with Server(lambda path: b"<p>page</p>", addresses=("::1",)) as server:
        run(workspace, urls(server, 1), 'sites: { "[::1]": { headers: { X-Six: "6" } } }\n')
        (request,) = requests_to(server)
        assert request.header("X-Six") == "6"
        assert request.header("Host") == server.host(0)


def test_an_international_address_is_asked_for_as_browsers_do(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ForwardProxy() as proxy:
        monkeypatch.setattr(socket, "create_connection", _to(server))
        url = "http://Bücher.example/größe/a b?q=naïve#ß"
        sites = (
            f'sites: {{ "*.Bücher.example": {{ delay: 1 }}, "bücher.example": {{ proxy: "{proxy.url}" }} }}\n'
        )
        run(workspace, [f'url: "{url}"'], sites)
        assert proxy.seen == ["GET http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe/a%20b?q=na%C3%AFve"]
    (request,) = server.log.all()
    assert request.header("Host") == "xn--bcher-kva.example"


def _to(server: Server) -> object:
    connect = socket.create_connection
    address = server.addresses[0], server.port
    return lambda asked, *rest, **more: connect(address, *rest, **more)
