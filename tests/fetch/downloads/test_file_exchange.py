"""FileExchange: requests for files over a real server."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from msgspec import structs

from scoopi.errors import FetchError
from scoopi.fetch.downloads import file_exchange
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.hop_results import GrantNeeded, ReceivedFile, Redirect
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request
from scoopi.model.downloads import FileRequest, kept_path
from scoopi.model.sites import Site
from tests.fetch.conftest import SETTINGS, Maker
from tests.fetch.exchanges.many import page, send
from tests.server.file_pages import FilePages, content
from tests.server.server import Server


@pytest.fixture
def site() -> Iterator[Server]:
    with Server(lambda path: b"<p>page", route=FilePages()) as server:
        yield server


def receive(client: HttpClient, store: FileStore, request: FileRequest, site: Site | None = None) -> object:
    """What a request for the file comes to; the content of a file that came."""
    answer = send(client, Request(request.url, file=store.open(request), site=site))
    if not isinstance(answer, ReceivedFile):
        return answer
    path = kept_path(
        answer.partial.path.parents[1], store.keep(answer.partial, answer.media_type, answer.name).sha256
    )
    answer.partial.close()
    return path.read_bytes()


def test_a_file_comes_to_the_disk(client: HttpClient, store: FileStore, site: Server) -> None:
    request = FileRequest(site.url("/ok/a.jpg"))
    assert receive(client, store, request) == content("a.jpg")
    (seen,) = site.log.all()
    assert (seen.header("accept"), seen.header("accept-encoding")) == ("*/*", "identity")
    assert page(client, site.url("/page")).body == b"<p>page", "pages are asked for as before"
    assert site.log.all()[-1].header("accept-encoding") == "gzip, br, zstd"


def test_a_file_is_asked_for_with_what_its_site_says(
    client: HttpClient, store: FileStore, site: Server
) -> None:
    settings = Site(headers={"X-Shop": "1", "accept": "image/*"}, cookies={"a": "b"})
    receive(client, store, FileRequest(site.url("/ok/a.jpg")), settings)
    (seen,) = site.log.all()
    assert [seen.header(name) for name in ("X-Shop", "Accept", "Cookie")] == ["1", "image/*", "a=b"]


def test_a_redirect_and_a_failure_leave_the_partial_file_to_the_next_request(
    client: HttpClient, store: FileStore, site: Server
) -> None:
    assert isinstance(receive(client, store, FileRequest(site.url("/moved/a.jpg"))), Redirect)
    request = FileRequest(site.url("/cut/a.jpg"))
    with pytest.raises(FetchError) as failed:
        receive(client, store, request)
    assert failed.value.fault.is_transient
    assert receive(client, store, request) == content("a.jpg")
    assert site.log.all()[-1].header("range") is not None


@pytest.mark.parametrize("way", ["other-range", "beyond"])
def test_an_answer_that_does_not_continue_the_file_needs_another_request(
    client: HttpClient, store: FileStore, site: Server, way: str
) -> None:
    request = FileRequest(site.url(f"/{way}/a.jpg"))
    with pytest.raises(FetchError):
        receive(client, store, request)
    assert isinstance(receive(client, store, request), GrantNeeded)
    assert receive(client, store, request) == content("a.jpg")


def test_a_grant_that_has_expired_sends_nothing_and_lets_the_file_go(
    client: HttpClient, store: FileStore, site: Server
) -> None:
    request = FileRequest(site.url("/ok/a.jpg"))
    answer = send(client, Request(request.url, not_after=0.0, file=store.open(request)))
    assert isinstance(answer, GrantNeeded)
    assert site.log.all() == []
    assert receive(client, store, request) == content("a.jpg")


def test_a_file_takes_longer_than_a_page_may(
    client_with: Maker, store: FileStore, site: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine nothing may come for a second, which is another reason to end a request.
    monkeypatch.setattr(file_exchange, "LEAST_BYTES_A_SECOND", 0)
    client = client_with(structs.replace(SETTINGS, timeout_ms=100))
    request = FileRequest(site.url("/slow/a.jpg?ms=20"))  # 15 pieces
    assert receive(client, store, request) == content("a.jpg")


def test_a_file_that_is_larger_than_a_page_may_be_is_not_held_in_memory(
    client: HttpClient, store: FileStore, site: Server
) -> None:
    size = 20 * SETTINGS.max_bytes
    request = FileRequest(site.url(f"/ok/a.jpg?size={size}"))
    content("a.jpg", size)  # the server has it before memory is measured
    tracemalloc.start()
    answer = send(client, Request(request.url, file=store.open(request)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(answer, ReceivedFile)
    assert answer.partial.size == size
    answer.partial.close()
    assert peak < size / 4


def test_a_disk_that_is_full_is_not_a_fault_of_the_file(
    client: HttpClient, store: FileStore, site: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = FileRequest(site.url("/ok/a.jpg"))
    partial = store.open(request)
    monkeypatch.setattr(partial, "write", _full)
    with pytest.raises(FetchError, match="the file cannot be written: No space left") as failed:
        send(client, Request(request.url, file=partial))
    assert not failed.value.fault.is_transient


def _full(piece: bytes) -> None:
    raise OSError(28, "No space left on device")
