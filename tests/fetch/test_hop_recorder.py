"""HopRecorder: requests and answers as they went over the connection, credentials masked."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.hop_recorder import HopRecorder, masked_pairs
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from scoopi.model.sites import Site
from scoopi.model.text.secrets import MASK
from tests.fetch.conftest import SETTINGS
from tests.fetch.exchanges.many import send
from tests.server.misbehaviours import PAGE
from tests.server.server import Server


@pytest.mark.parametrize(
    "name", ["Authorization", "proxy-authorization", "COOKIE", "Set-Cookie"], ids=str.lower
)
def test_headers_that_hold_credentials_are_masked_in_any_case(name: str) -> None:
    assert masked_pairs([(name, "secret"), ("Accept", "*/*")]) == ((name, MASK), ("Accept", "*/*"))


def test_headers_that_the_user_calls_secret_are_masked() -> None:
    pairs = [("X-Key", "secret"), ("Accept", "*/*")]
    assert masked_pairs(pairs, {"x-key"}) == (("X-Key", MASK), ("Accept", "*/*"))


def test_a_password_in_an_address_is_masked() -> None:
    ((_, value),) = masked_pairs([("Location", "http://sam:secret@host/")])
    assert "secret" not in value
    assert value.endswith("@host/")


def test_a_version_in_a_header_is_not_that_of_the_answer() -> None:
    listener = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    assert "HTTP/" in BaseHTTPRequestHandler.server_version, "the header `Server`"
    thread = threading.Thread(target=listener.serve_forever, args=(0.02,))
    thread.start()
    recorder = HopRecorder()
    client = HttpClient(SETTINGS, recorder=recorder)
    try:
        with pytest.raises(FetchError):
            send(client, Request(f"http://127.0.0.1:{listener.server_port}/"))
    finally:
        client.close()
        listener.shutdown()
        thread.join()
        listener.server_close()
    (hop,) = recorder.hops
    assert (hop.version, hop.status) == ("HTTP/1.0", 501)
    assert "Server" in dict(hop.response)


def test_each_hop_is_noted_as_it_went_over_the_connection(
    server: Server, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "secret")
    (pages / "a.html").write_bytes(PAGE)
    recorder = HopRecorder()
    client = HttpClient(SETTINGS, recorder=recorder)
    try:
        site = Site(user_agent="Scoopi/test", headers={"X-Key": "${env:KEY}", "X-A": "b"}, cookies={"c": "d"})
        send(client, Request(server.url("/a.html?x=1"), site=site))
        recorder.purpose = "robots.txt"
        with pytest.raises(FetchError):
            send(client, Request(server.url("/none.html")))
    finally:
        client.close()
    first, second = recorder.hops
    assert (first.method, first.url, first.status) == ("GET", server.url("/a.html?x=1"), 200)
    assert (first.purpose, second.purpose) == ("page", "robots.txt")
    assert first.size_bytes == len(PAGE)
    sent, received = dict(first.request), {name.lower(): value for name, value in first.response}
    assert (sent["X-A"], sent["User-Agent"]) == ("b", "Scoopi/test")
    assert received["content-length"] == str(len(PAGE))
    assert (sent["X-Key"], sent["Cookie"]) == (MASK, MASK)
    assert first.address == server.url("/").split("/")[2]
    assert 0 <= first.ms["connect"] <= first.ms["first"] <= first.ms["total"]
    assert second.status == 404
    assert "X-A" not in dict(second.request), "of the second request only"
