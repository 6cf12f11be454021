"""SiteRequests: what Chromium is asked to pause, and how each paused request continues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from scoopi.browser.chromium.site_requests import SiteRequests
from scoopi.browser.pool_messages import PartRequested, Visit
from scoopi.browser.protocol.protocol_link import OnRejected, ProtocolLink, RejectedError, ignore
from scoopi.browser.protocol.rejected_commands import RejectedCommands
from scoopi.browser.started import Ask
from scoopi.model.scrape.browser_def import BrowserDef

URL = "https://shop.example/start"
KEY = {"X-Key": "k", "User-Agent": "test/1"}
PLAIN = {"Accept": "*/*", "x-key": "of the page"}
TAB, PAGE = "tab", "page-session"


class PlayedLink:
    """Takes what would be sent to the browser."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any], str]] = []
        self.on_rejected: OnRejected = ignore

    def post(
        self, method: str, params: Mapping[str, Any], session: str, on_rejected: OnRejected = ignore
    ) -> None:
        """Send a command."""
        self.sent.append((method, dict(params), session))
        self.on_rejected = on_rejected


class Requests:
    """A visit to a page, whose requests the test makes.

    Attributes:
        asked: addresses that a grant was asked for.
        grants: answers to them, which wait until the test gives them.
    """

    def __init__(self, *, images: bool = True) -> None:
        self.link = PlayedLink()
        self.rejected = RejectedCommands()
        self.under_test = SiteRequests(cast(ProtocolLink, self.link), self.rejected, images=images)
        self.asked: list[str] = []
        self.grants: list[Callable[[bool], None]] = []

    def begin(self, headers: Mapping[str, str] | None = None, url: str = URL, **more: Any) -> None:
        """Begin the visit."""
        visit = Visit(url, dict(headers or {}), 60.0, BrowserDef(**more))
        self.under_test.begin(visit, TAB, cast(Ask, self._ask))

    def _ask(self, wanted: PartRequested, on_grant: Callable[[bool], None]) -> None:
        self.asked.append(wanted.url)
        self.grants.append(on_grant)

    def patterns(self, session: str = PAGE) -> list[dict[str, str]]:
        """What is paused in a session that is watched now."""
        ((method, params),) = self.under_test.watch(session)
        assert method == "Fetch.enable"
        return list(params["patterns"])

    def request(
        self, url: str, frame: str = "", session: str = PAGE, kind: str = "Script", accept: str = "*/*"
    ) -> list[tuple[str, dict[str, Any], str]]:
        """Make a request, of a page if a frame is given; what was sent to the browser since."""
        before = len(self.link.sent)
        event = {
            "requestId": "r1",
            "resourceType": "Document" if frame else kind,
            "frameId": frame or "any",
            "request": {"url": url, "headers": {**PLAIN, "Accept": accept}},
        }
        self.under_test.take(session, event)
        return self.link.sent[before:]


CONTINUED = [("Fetch.continueRequest", {"requestId": "r1"}, PAGE)]
FAILED = [("Fetch.failRequest", {"requestId": "r1", "errorReason": "BlockedByClient"}, PAGE)]


@pytest.fixture
def requests() -> Requests:
    return Requests()


def test_only_pages_are_paused_where_no_request_gets_headers(requests: Requests) -> None:
    requests.begin({"User-Agent": "test/1"})
    assert requests.patterns() == [{"urlPattern": "*", "resourceType": "Document"}]


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://shop.example/", "https://shop.example"),
        ("http://shop.example/", "*://shop.example"),
        ("http://[::1]:8080/", "*://[::1]"),
    ],
)
def test_requests_to_the_site_are_paused_on_every_port_if_they_get_headers(
    requests: Requests, url: str, host: str
) -> None:
    requests.begin(KEY, url)
    _, *own = requests.patterns()
    assert own == [{"urlPattern": f"{host}/*"}, {"urlPattern": f"{host}:*/*"}]


def test_all_requests_are_paused_if_each_needs_a_grant(requests: Requests) -> None:
    requests.begin(KEY, paced=True)
    assert requests.patterns() == [{"urlPattern": "*"}]


def test_a_session_is_asked_again_only_if_something_else_is_paused(requests: Requests) -> None:
    requests.begin()
    requests.patterns()
    assert not requests.under_test.watch(PAGE)
    assert requests.patterns("frame"), "each session is asked"
    requests.begin(KEY)
    assert len(requests.patterns()) == 3
    requests.under_test.forget(PAGE)
    assert len(requests.patterns()) == 3


def test_headers_of_the_site_replace_those_of_the_page(requests: Requests) -> None:
    requests.begin(KEY)
    (sent,) = requests.request(URL, TAB)
    headers = [{"name": "Accept", "value": "*/*"}, {"name": "x-key", "value": "k"}]
    assert sent == ("Fetch.continueRequest", {"requestId": "r1", "headers": headers}, PAGE)
    assert requests.request("https://cdn.example/a.js") == CONTINUED, "the headers are not for others"


def test_a_further_page_waits_for_its_grant(requests: Requests) -> None:
    requests.begin()
    assert requests.request(URL, TAB) == CONTINUED
    assert requests.request(f"{URL}/2", TAB) == []
    assert requests.request(f"{URL}/3", TAB) == []
    for allowed, grant in zip((True, False), requests.grants, strict=True):
        grant(allowed)
    assert requests.link.sent[-2:] == CONTINUED + FAILED
    assert requests.asked == [f"{URL}/2", f"{URL}/3"]


def test_a_frame_of_the_page_needs_no_grant(requests: Requests) -> None:
    requests.begin()
    requests.request(URL, TAB)
    assert requests.request("https://ads.example/", "frame") == CONTINUED
    assert not requests.asked


def test_a_window_needs_a_grant_until_it_is_forgotten(requests: Requests) -> None:
    requests.begin()
    requests.request(URL, TAB)
    requests.under_test.add_window("w", "window", is_empty=False)
    assert requests.request(f"{URL}/w", "window", "w") == []
    assert requests.request(f"{URL}/a.js", session="w") == [(*CONTINUED[0][:2], "w")], "it is a part of it"
    assert requests.request(f"{URL}/in", "frame", "w") == [(*CONTINUED[0][:2], "w")]
    assert requests.asked == [f"{URL}/w"]
    requests.under_test.forget("w")
    assert requests.request(f"{URL}/w", "window", "w") == [(*CONTINUED[0][:2], "w")]


def test_an_empty_window_loads_nothing(requests: Requests) -> None:
    requests.begin()
    requests.under_test.add_window("w", "window", is_empty=True)
    assert requests.request(f"{URL}/w", "window", "w") == [(*FAILED[0][:2], "w")]
    assert requests.request(f"{URL}/a.js", session="w") == [(*FAILED[0][:2], "w")]
    requests.under_test.forget("w")
    assert requests.request(f"{URL}/a.js", session="w") == [(*CONTINUED[0][:2], "w")]


def test_a_blocked_host_gets_no_request_but_for_the_page_itself(requests: Requests) -> None:
    requests.begin(block=("*.Example",))
    assert requests.request(URL, TAB) == CONTINUED
    assert requests.request(URL, "frame") == FAILED
    assert requests.request("https://cdn.test/", "frame") == CONTINUED


def test_a_request_that_cannot_continue_ends_and_fails_its_page(requests: Requests) -> None:
    requests.begin(KEY)
    requests.request(URL, TAB)
    requests.link.on_rejected(RejectedError("Fetch.continueRequest", -32602, "Invalid header: x-key"))
    assert requests.link.sent[-1:] == FAILED, "else the page would wait for it until its time is over"
    requests.link.on_rejected(RejectedError("Fetch.failRequest", -32602, "Invalid InterceptionId."))
    failure = requests.rejected.failure()
    assert failure is not None
    assert failure.what == "the browser rejected the command Fetch.continueRequest: Invalid header: x-key"


def test_media_are_refused_whatever_their_address() -> None:
    requests = Requests(images=False)
    requests.begin()
    kinds = {each.get("resourceType") for each in requests.patterns()}
    assert kinds == {"Document", "Font", "Image", "Media", "Other"}
    for kind in ("Font", "Image", "Media"):
        assert requests.request(f"{URL}?id=1", kind=kind) == FAILED
    assert requests.request(URL, kind="Other", accept="image/avif,*/*") == FAILED, "an icon"
    assert requests.request(URL, kind="Other") == CONTINUED, "the script of a worker"
    assert requests.request(f"{URL}/film.MP4", "frame") == FAILED, "of an `embed`"
    assert requests.request(f"{URL}/film.mp4", TAB) == CONTINUED, "the page itself"
