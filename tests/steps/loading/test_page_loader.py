"""PageLoader: a page comes from the archive, from a file, or from the network with a grant."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from scoopi.archive.archive import Archive
from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError, StepError
from scoopi.fetch.address import parse_address
from scoopi.fetch.file_client import FileClient, FileFinder
from scoopi.fetch.http_client import HttpClient
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToTask
from scoopi.model.locator import Document, Locator
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.loading.load_rules import LoadRules
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.page_loader import PageLoader
from tests.server.misbehaviours import PAGE
from tests.server.server import Server
from tests.site.misbehaving_site import MisbehavingSite

LIMIT_S = 60.0
DATE = datetime(2026, 1, 2, tzinfo=UTC)
SETTINGS = WebClientSettings("Scoopi/test", timeout_ms=5_000, max_bytes=10_000)


class Harness:
    """A loader over a folder and an archive, and the requests that it reported."""

    def __init__(self, folder: Path) -> None:
        self.archive = Archive(folder / "archive")
        self.sent: list[tuple[str, str]] = []
        rules = LoadRules(
            DATE, TreeLimits(), lambda group: group == "saved", lambda *sent: self.sent.append(sent)
        )
        files = FileClient(FileFinder(folder, folder), SETTINGS.max_bytes)
        self.loader = PageLoader(rules, HttpClient(SETTINGS), files, self.archive)

    def load(self, url: str, state: LoadState | None = None, group: str = "group") -> Handover:
        """What the loader hands over; raises the error of the page."""
        payload = Payload("job", Locator("name", group, url), 1, "", state or LoadState())
        loaded: list[Handover | Exception] = []
        self.loader.begin(payload, loaded.append)
        end = time.monotonic() + LIMIT_S
        while not loaded:
            assert time.monotonic() < end, "nothing was handed over"
            self.loader.turn(1.0)
        if isinstance(loaded[0], Exception):
            raise loaded[0]
        return loaded[0]

    def document(self, url: str, state: LoadState | None = None, group: str = "group") -> Document:
        handover = self.load(url, state, group)
        assert isinstance(handover, ToTask), handover
        return handover.payload.expect(Page).document


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    made = Harness(tmp_path)
    yield made
    made.loader.close()


def granted(url: str, not_after: float = math.inf) -> LoadState:
    return LoadState(Grant(parse_address(url).host, not_after))


def test_a_file_is_a_page_with_its_address_as_written_and_needs_no_grant(
    harness: Harness, tmp_path: Path
) -> None:
    (tmp_path / "a.html").write_bytes(b"<p>a")
    locator = Locator("name", "group", "a.html")
    assert harness.document("a.html") == Document(locator, "a.html", DATE, None, b"<p>a")
    assert harness.sent == []


def test_a_page_of_a_host_waits_for_a_grant_of_that_host(harness: Harness, server: Server) -> None:
    url = server.url("/bad/empty")
    host = parse_address(url).host
    for state in (LoadState(), LoadState(Grant("elsewhere:80", math.inf))):
        handover = harness.load(url, state)
        assert isinstance(handover, ToGrant)
        assert handover.host == host
        assert handover.payload.input == LoadState()
    assert server.log.all() == []


def test_a_page_of_a_host_is_loaded_and_its_request_is_reported(harness: Harness, server: Server) -> None:
    url = server.url("/bad/closes-after")
    document = harness.document(url, granted(url))
    assert (document.url, document.from_date, document.body) == (url, DATE, PAGE)
    assert harness.sent == [("job", parse_address(url).host)]


def test_a_redirect_waits_for_a_grant_of_its_own_host(harness: Harness, server: Server) -> None:
    url, target = server.url("/bad/redirect?to=/a"), server.url("/a")
    handover = harness.load(url, structs.replace(granted(url), public_only=False))
    assert isinstance(handover, ToGrant)
    assert handover.host == parse_address(target).host
    state = handover.payload.expect(LoadState)
    assert (state.url, state.hops, state.grant) == (target, 1, None)


def test_an_expired_grant_is_asked_for_again_and_nothing_is_sent(harness: Harness, server: Server) -> None:
    url = server.url("/bad/empty")
    handover = harness.load(url, granted(url, not_after=0.0))
    assert isinstance(handover, ToGrant)
    assert handover.payload.input == LoadState()
    assert (server.log.all(), harness.sent) == ([], [])


def test_a_request_lost_on_a_reused_connection_is_repeated_on_a_new_one(
    harness: Harness, server: Server
) -> None:
    url = server.url("/bad/empty")
    assert LoadState(Grant("h:80", 1.0)).without_grant(was_lost=True) == LoadState(lost=1)
    again = harness.load(url, structs.replace(granted(url, not_after=0.0), lost=1))
    assert isinstance(again, ToGrant)
    assert again.payload.input == LoadState(lost=1), "an expired grant does not forget it"


def test_only_pages_of_groups_that_are_saved_are_archived(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<p>a")
    for group in ("group", "saved"):
        harness.document("a.html", group=group)
    assert harness.archive.load(Locator("name", "group", "a.html")) is None
    assert harness.archive.load(Locator("name", "saved", "a.html")) is not None


def test_an_archived_page_is_loaded_without_a_request(harness: Harness, server: Server) -> None:
    url = server.url("/bad/empty")
    saved = Document(Locator("name", "group", url), url, DATE, None, b"<p>old")
    assert harness.archive.save(saved)
    assert harness.document(url, LoadState(archived=True)) == saved
    assert server.log.all() == []


def test_an_archived_page_that_is_gone_is_loaded_from_its_host(harness: Harness, server: Server) -> None:
    url = server.url("/bad/empty")
    handover = harness.load(url, LoadState(archived=True))
    assert isinstance(handover, ToGrant)
    assert handover.payload.input == LoadState()


@pytest.mark.parametrize(
    ("url", "message"),
    [("gone.html", "there is no such file"), ("ftp://h/", "pages cannot be loaded by ftp:")],
)
def test_a_page_that_cannot_be_loaded_is_an_error(harness: Harness, url: str, message: str) -> None:
    with pytest.raises(FetchError, match=message):
        harness.load(url)


def test_an_error_status_is_the_error_of_the_page(harness: Harness, server: Server) -> None:
    url = server.url("/bad/status/404")
    with pytest.raises(FetchError, match="status 404"):
        harness.load(url, granted(url))
    assert harness.loader.under_way() == 0


def test_another_input_than_an_order_is_an_error(harness: Harness) -> None:
    loaded: list[Handover | Exception] = []
    harness.loader.begin(Payload("job", Locator("", "", "a"), 1, "", "no state"), loaded.append)
    assert [type(error) for error in loaded] == [StepError]


def test_the_size_of_a_page_is_its_bytes(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"x" * 1000)
    handover = harness.load("a.html")
    assert isinstance(handover, ToTask)
    assert harness.loader.size_of(handover.payload.input) == 1000
    assert harness.loader.size_of("anything else") == 0


def test_only_a_page_that_was_read_and_gave_nothing_is_called_unusable(
    harness: Harness, tmp_path: Path
) -> None:
    (tmp_path / "a.html").write_bytes(b" ")
    handover = harness.load("a.html")
    assert isinstance(handover, ToTask)
    page = handover.payload.expect(Page)
    assert harness.loader.fault_of(page) is None
    page.is_read = True
    assert harness.loader.fault_of(page) == "the page is empty"
    page.has_values = True
    assert harness.loader.fault_of(page) is None


def saved_page(harness: Harness, site: MisbehavingSite, name: str) -> tuple[str, Document]:
    """The address of a page of the site, and the page as it was loaded and saved a week ago."""
    url = site.url(name)
    document = harness.document(url, granted(url), "saved")
    old = structs.replace(document, from_date=DATE - timedelta(days=7))
    harness.archive.save(old)
    return url, old


@pytest.mark.parametrize(
    ("name", "header"), [("etag", "if-none-match"), ("last-modified", "if-modified-since")]
)
def test_a_saved_page_that_has_not_changed_is_used_and_renewed(
    harness: Harness, site: MisbehavingSite, name: str, header: str
) -> None:
    url, old = saved_page(harness, site, name)
    assert harness.document(url, granted(url), "saved") == structs.replace(old, from_date=DATE)
    assert harness.archive.load(Locator("name", "saved", url)) == structs.replace(old, from_date=DATE)
    first, second = site.log.all()
    assert (first.header(header), first.status, second.status) == (None, 200, 304)
    harness.document(url, granted(url), "group")
    assert site.log.all()[-1].header(header) is None, "the page of another group is asked for as usual"


def test_a_saved_page_that_cannot_be_read_is_asked_for_again_as_a_whole(
    harness: Harness, site: MisbehavingSite, tmp_path: Path
) -> None:
    url, _ = saved_page(harness, site, "etag")
    (file,) = (path for path in (tmp_path / "archive").rglob("*") if path.is_file())
    file.write_bytes(file.read_bytes()[:-5])
    handover = harness.load(url, granted(url), "saved")
    assert isinstance(handover, ToGrant)
    state = handover.payload.expect(LoadState)
    assert state == LoadState(whole=True)
    document = harness.document(url, state.with_grant(Grant(handover.host, math.inf)), "saved")
    assert document.body == PAGE
    assert [seen.status for seen in site.log.all()] == [200, 304, 200]


def test_a_status_304_for_a_page_that_is_not_known_is_an_error(
    harness: Harness, site: MisbehavingSite
) -> None:
    url = site.url("304")
    with pytest.raises(FetchError, match="status 304"):
        harness.load(url, granted(url), "saved")
