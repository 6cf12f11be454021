"""Fetching: whose turn it is, and that no page waits for another that takes long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import msgspec
import pytest

from scoopi.errors import FetchError, LoadFault, StoppedError
from scoopi.model.downloads import FileRequest
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToTask
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator, PageRequest
from scoopi.steps.loading.load_state import FORM, LoadState, LoginStage
from scoopi.worker.fetching import Fetching, LoadedPage, PageLoad
from scoopi.worker.messages import (
    ARCHIVE,
    FILE,
    NETWORK,
    FileEnded,
    GrantRequested,
    PageSeen,
    RequestEnded,
    Sent,
    WorkItem,
)
from scoopi.worker.request_reports import RequestReports
from tests.worker.played_loader import LIMIT_S, PlayedLoader

LOCATOR = Locator("name", "group", "http://here.example/")
BEGUN = LoginStage(FORM, Locator("login", "", "http://here.example/login"), LoadState())
"""A login that has begun."""


def load(job: str) -> PageLoad:
    state = LoadState(Grant("here.example:80", 1e12))
    return PageLoad(WorkItem(job, 1, JobPayload(LOCATOR, job)), Payload(job, LOCATOR, 1, "", state))


class Harness:
    """A Fetching, and what it reports."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.loader = PlayedLoader()
        self.reported: list[tuple[msgspec.Struct, ...]] = []
        self.reports = RequestReports()
        self.fetching = Fetching(self.loader, self._ended, self._send, self.reports)

    def _send(self, *messages: msgspec.Struct) -> None:
        self.reported.append(messages)

    def _ended(self, load: PageLoad, outcome: Handover | Exception, seconds: float) -> list[msgspec.Struct]:
        assert 0 <= seconds <= time.perf_counter() - self._began
        return [RequestEnded(load.item.job, load.granted_host())]


@pytest.fixture
def harness() -> Iterator[Harness]:
    made = Harness()
    yield made
    made.fetching.close()


def test_all_answers_of_a_turn_are_reported_together_at_its_end(harness: Harness) -> None:
    for job in "ab":
        harness.fetching.add(load(job))
    harness.fetching.turn(0.0, ())
    assert (harness.loader.under_way(), harness.reported) == (2, [])
    for _ in "ab":
        harness.loader.end(LookupError("gone"))
    harness.fetching.turn(0.0, ())
    assert harness.reported == [(RequestEnded("a", "here.example:80"), RequestEnded("b", "here.example:80"))]


def test_what_was_sent_is_reported_before_its_answer_and_with_it(harness: Harness) -> None:
    sent = Sent("a", "here.example:80", 1.0)
    harness.fetching.add(load("a"))
    harness.fetching.turn(0.0, ())
    harness.reports.messages.append(sent)
    harness.loader.end(LookupError("gone"))
    harness.fetching.turn(LIMIT_S, ())
    assert harness.reported == [(sent, RequestEnded("a", "here.example:80"))]


def test_what_is_taken_back_is_never_begun(harness: Harness) -> None:
    harness.fetching.add(load("a"))
    assert [each.item.job for each in harness.fetching.take_back()] == ["a"]
    harness.fetching.turn(0.0, ())
    assert harness.loader.under_way() == 0


def test_what_is_added_ends_a_wait(harness: Harness) -> None:
    waiting = threading.Thread(target=lambda: harness.fetching.turn(LIMIT_S, ()))
    waiting.start()
    assert harness.loader.waits.wait(LIMIT_S)
    harness.fetching.add(load("a"))
    waiting.join(LIMIT_S / 2)
    assert not waiting.is_alive()
    harness.fetching.turn(0.0, ())
    assert harness.loader.under_way() == 1


def test_with_work_at_hand_there_is_no_wait(harness: Harness) -> None:
    turning = threading.Thread(target=harness.fetching.turn, args=(LIMIT_S, ["work"]))
    turning.start()
    turning.join(LIMIT_S / 2)
    assert not turning.is_alive()
    assert harness.loader.turns == 1


def test_pages_are_minded_while_the_steps_thread_is_away(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.fetching.add(load("a"))
    harness.fetching.turn_if_late()
    assert harness.loader.turns == 0, "its last turn was just now"
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", 0.0)
    harness.fetching.turn_if_late()
    harness.loader.end(LookupError("gone"))
    harness.fetching.turn_if_late()
    assert harness.reported == [(RequestEnded("a", "here.example:80"),)]
    turns = harness.loader.turns
    harness.fetching.turn_if_late()
    assert harness.loader.turns == turns, "nothing is under way"


def test_the_minding_thread_gives_way_to_the_steps_thread(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.fetching.add(load("a"))
    harness.fetching.turn(0.0, ())
    monkeypatch.setattr(harness.fetching, "turned_at", -LIMIT_S)
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", LIMIT_S / 2)
    turning = threading.Thread(target=harness.fetching.turn_if_late)
    turning.start()
    assert harness.loader.waits.wait(LIMIT_S)
    harness.fetching.turn(0.0, ())
    turning.join(LIMIT_S)
    assert harness.loader.turns == 3


def test_nothing_is_minded_where_a_turn_waits_or_all_is_closed(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", 0.0)
    waiting = threading.Thread(target=lambda: harness.fetching.turn(LIMIT_S, ()))
    waiting.start()
    assert harness.loader.waits.wait(LIMIT_S)
    harness.fetching.turn_if_late()
    assert harness.loader.turns == 1
    harness.fetching.wake()
    waiting.join(LIMIT_S)
    harness.fetching.close()
    harness.fetching.add(load("a"))
    harness.fetching.turn_if_late()
    assert harness.loader.turns == 1


class SlowWake(PlayedLoader):
    """Says when it is being woken, and takes its time for it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_woken = threading.Event()
        self.may_wake = threading.Event()
        self.is_closed = threading.Event()

    def wake(self) -> None:
        self.is_woken.set()
        self.may_wake.wait(LIMIT_S)
        assert not self.is_closed.is_set()
        super().wake()

    def close(self) -> None:
        self.is_closed.set()


def test_nothing_is_closed_while_somebody_wakes_it() -> None:
    loader = SlowWake()
    fetching = Fetching(loader, lambda *_: (), lambda *_: None, RequestReports())
    fetching.is_waiting = True  # as it was when the other thread looked
    waking = threading.Thread(target=fetching.wake)
    waking.start()
    assert loader.is_woken.wait(LIMIT_S)
    closing = threading.Thread(target=fetching.close)
    closing.start()
    assert not loader.is_closed.wait(0.05)
    loader.may_wake.set()
    for thread in (waking, closing):
        thread.join(LIMIT_S)
    assert loader.is_closed.is_set()
    loader.is_woken.clear()
    fetching.is_waiting = True
    fetching.wake()
    assert not loader.is_woken.is_set(), "its descriptor may belong to another file"


class CountedWakes(PlayedLoader):
    """Counts how often it is woken, and adds to that within a turn."""

    def __init__(self) -> None:
        super().__init__()
        self.wakes = 0
        self.within = list[Callable[[], None]]()

    def wake(self) -> None:
        self.wakes += 1
        super().wake()

    def turn(self, wait_s: float) -> None:
        for call in self.within:
            call()
        super().turn(wait_s)


def test_loads_that_are_added_together_wake_the_loader_once_a_turn() -> None:
    loader = CountedWakes()
    fetching = Fetching(loader, lambda *_: (), lambda *_: None, RequestReports())
    loader.within = [partial(fetching.add, load(name)) for name in "abc"]
    fetching.turn(LIMIT_S, ())  # ends at once, as it was woken
    assert loader.wakes == 1
    fetching.turn(LIMIT_S, ())
    assert loader.wakes == 2, "what is added in a later turn ends its wait, too"


def test_what_waits_to_be_reported_ends_no_turn_with_a_wait(harness: Harness) -> None:
    sent = Sent("a", "here.example:80", 1.0)
    harness.reports.messages.append(sent)
    turning = threading.Thread(target=harness.fetching.turn, args=(LIMIT_S, ()))
    turning.start()
    turning.join(LIMIT_S / 2)
    assert not turning.is_alive()
    assert harness.reported == [(sent,)]


@pytest.mark.parametrize(("due_s", "is_due"), [(-1.0, True), (1e9, False)])
def test_the_network_has_its_turn_between_two_pages_when_its_last_one_is_long_ago(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, due_s: float, is_due: bool
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.DUE_S", due_s)
    harness.fetching.turn(0.0, ())
    assert harness.fetching.is_due() is is_due


@pytest.mark.parametrize(
    ("request_", "state", "stays"),
    [
        (PageRequest("POST"), LoadState(hops=1), True),
        (PageRequest("POST"), LoadState(call=1), True),
        (PageRequest("POST"), LoadState(), False),
        (PageRequest("POST"), LoadState(hops=1, login=BEGUN), False),
        (PageRequest("POST", idempotent=True), LoadState(hops=1), False),
        (None, LoadState(hops=1), False),
        (None, LoadState(file=FileRequest("http://here.example/a.jpg")), True),
    ],
)
def test_a_load_stays_if_it_wants_a_file_or_its_request_was_sent_and_must_not_be_repeated(
    request_: PageRequest | None, state: LoadState, stays: bool
) -> None:
    locator = Locator("name", "group", "http://here.example/", request=request_)
    load = PageLoad(WorkItem("a", 1, JobPayload(locator, "a")), Payload("a", locator, 1, "", state))
    assert load.stays is stays


@pytest.mark.parametrize(("archived", "source"), [(True, ARCHIVE), (False, FILE)])
def test_a_page_that_needed_no_request_says_where_it_was_read(archived: bool, source: str) -> None:
    item = WorkItem("a", 1, JobPayload(LOCATOR, "a"), archived=archived)
    page = LoadedPage.of(item, ToTask(Payload("a", LOCATOR, 1, "", b"page")), 0.25)
    assert page.seen(lambda _: 4) == PageSeen(0, 4, 250.0, source)
    assert page.size == 0, "nothing of it was received"


def test_a_load_that_was_not_begun_when_the_run_stopped_took_no_time() -> None:
    seen = load("a").stopped().seen(lambda page: 0)
    assert seen == PageSeen(0, 0, 0.0, NETWORK)


def test_without_a_delay_a_request_is_reported_with_its_answer_only(harness: Harness) -> None:
    state = LoadState(Grant("here.example:80", 1e12, is_paced=False))
    payload = Payload("a", LOCATOR, 1, "", state)
    harness.fetching.add(PageLoad(WorkItem("a", 1, JobPayload(LOCATOR, "a")), payload))
    harness.reports.sent("a", "here.example:80")
    assert harness.reports.messages == []
    assert harness.reports.end("a") is not None


PAGE, NEXT = LOCATOR.url, "http://next.example/"


@pytest.mark.parametrize(
    ("state", "url", "is_subresource", "asked"),
    [
        (LoadState(), "", False, PAGE),
        (LoadState(url=NEXT), "", False, NEXT),
        (LoadState(url=NEXT), "http://own.example/", False, "http://own.example/"),
        (LoadState(), "http://own.example/", True, ""),
        (LoadState(login=BEGUN), "", False, ""),
        (LoadState(login=BEGUN), "", True, ""),
    ],
)
def test_a_grant_is_asked_for_with_the_address_that_robots_txt_has_to_allow(
    state: LoadState, url: str, is_subresource: bool, asked: str
) -> None:
    payload = Payload("a", LOCATOR, 1, "", state)
    waiting = PageLoad(WorkItem("a", 1, JobPayload(LOCATOR, "a")), payload)
    wanted = waiting.asking(ToGrant("next.example:80", payload, url, is_subresource))
    assert wanted == GrantRequested("a", "next.example:80", asked)


def test_a_grant_for_a_file_is_asked_for_with_its_address_and_its_end_is_reported() -> None:
    state = LoadState(url=NEXT, public_only=True, file=FileRequest("http://here.example/a.jpg"))
    payload = Payload("a", LOCATOR, 1, "", state)
    waiting = PageLoad(WorkItem("a", 1, JobPayload(LOCATOR, "a")), payload)
    assert waiting.asking(ToGrant("next.example:80", payload)) == GrantRequested(
        "a", "next.example:80", NEXT, public_only=True, file="http://here.example/a.jpg"
    )
    assert waiting.file_over() == (FileEnded("a"),)
    assert load("a").file_over() == (), "a page is none"


def test_a_load_of_a_file_is_stopped_and_a_request_that_was_sent_fails_with_a_hint() -> None:
    state = LoadState(file=FileRequest("http://here.example/a.jpg"))
    of_file = PageLoad(WorkItem("a", 1, JobPayload(LOCATOR, "a")), Payload("a", LOCATOR, 1, "", state))
    assert isinstance(of_file.stopped().error, StoppedError)
    failed = load("a").stopped().error
    assert isinstance(failed, FetchError)
    assert "scoopi retry" in failed.hint


def test_a_load_with_a_grant_needs_no_copy_of_the_archive_and_one_for_a_login_says_so() -> None:
    item = WorkItem("a", 1, JobPayload(LOCATOR, "a"), archived=True)
    first = PageLoad.first(item)
    assert (first.granted_host(), first.payload.expect(LoadState).archived) == ("", True)
    granted = first.with_grant(Grant("here.example:80", 1e12))
    assert granted.granted_host() == "here.example:80"
    assert not granted.payload.expect(LoadState).archived
    assert not granted.payload.expect(LoadState).logs_in
    assert granted.logging_in().payload.expect(LoadState).logs_in


@pytest.mark.parametrize(
    ("outcome", "status", "size"),
    [
        (ToTask(Payload("a", LOCATOR, 1, "", b"page")), 200, 4),
        (FetchError("gone", fault=LoadFault("status 404", False, 404)), 404, 0),
        (LookupError("odd"), 0, 0),
    ],
)
def test_a_page_that_was_requested_is_logged_with_its_status_and_size(
    outcome: Handover | Exception, status: int, size: int
) -> None:
    page = LoadedPage.of(load("a").item, outcome, 0.0125, lambda page: 4)
    assert page.size == size, "only what was received counts"
    seen = page.seen(lambda page: len(page) if isinstance(page, bytes) else 0)
    assert seen == PageSeen(status, size, 12.5, NETWORK)


def test_a_file_that_cannot_be_read_has_no_status_of_a_page() -> None:
    page = LoadedPage.of(load("a").item, LookupError("odd"), 0.0)
    assert page.seen(lambda _: 0) == PageSeen(0, 0, 0.0, FILE)
