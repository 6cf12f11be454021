"""SessionLoader: pages wait for their session; a login is asked for as often as it can help."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from scoopi.errors import FetchError, LoadFault
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToSession, ToTask
from scoopi.model.locator import Document, Locator
from scoopi.model.site_session import Session
from scoopi.model.sites import Login, PageSign, Site, SiteBlock, Sites
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader, OnHandover
from scoopi.steps.loading.session_loader import MOST_LOGINS, SessionLoader
from scoopi.steps.loading.worker_sessions import WorkerSessions

URL = "https://a.example/page"
LOGIN = Login("https://a.example/in", {"u": "x"}, PageSign(url="/in"), expired=PageSign(selector="form"))


class Inner(Loader):
    """Answers with its outcome."""

    def __init__(self) -> None:
        self.outcome: Handover | Exception | None = None
        self.begun: list[Payload] = []

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        self.begun.append(payload)
        if self.outcome is not None:
            on_handover(self.outcome)

    def under_way(self) -> int:
        return 0

    def turn(self, wait_s: float) -> None: ...

    def wake(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def inner() -> Inner:
    return Inner()


@pytest.fixture
def loader(inner: Inner) -> SessionLoader:
    login = {"url": LOGIN.url, "fields": LOGIN.fields}
    login |= {"success": {"url": "/in"}, "expired": {"selector": "form"}}
    values = {"session": "a.example", "login": login}
    sites = Sites(Site(), [SiteBlock("a.example", values)])
    return SessionLoader(inner, sites, WorkerSessions())


def payload(url: str = URL, **state: Any) -> Payload:
    return Payload("job", Locator("n", "g", url), 1, "", LoadState(**state))


def page(body: bytes, url: str = URL) -> ToTask:
    document = Document(Locator("n", "g", url), url, datetime.now(UTC), None, body)
    return ToTask(payload().advance(Page(document, TreeLimits())))


def outcome_of(loader: SessionLoader, given: Payload) -> Handover | Exception:
    outcomes: list[Handover | Exception] = []
    loader.begin(given, outcomes.append)
    (outcome,) = outcomes
    return outcome


def test_a_page_of_another_site_is_loaded_at_once(loader: SessionLoader, inner: Inner) -> None:
    inner.outcome = page(b"<form>x</form>")
    assert outcome_of(loader, payload("https://b.example/")) is inner.outcome


def test_a_page_waits_for_a_login_and_sends_nothing(loader: SessionLoader, inner: Inner) -> None:
    outcome = outcome_of(loader, payload())
    assert isinstance(outcome, ToSession)
    assert (outcome.session, outcome.version, inner.begun) == ("a.example", 0, [])


def test_with_a_session_the_page_is_loaded(loader: SessionLoader, inner: Inner) -> None:
    loader.learn(Session("a.example", 1))
    inner.outcome = page(b"<p>x</p>")
    assert outcome_of(loader, payload()) is inner.outcome


def test_after_a_failed_login_no_request_is_sent(loader: SessionLoader, inner: Inner) -> None:
    loader.learn(Session("a.example", 0, failed="the login failed"))
    assert isinstance(outcome_of(loader, payload()), FetchError)
    assert inner.begun == []


@pytest.mark.parametrize(
    "outcome", [page(b"<form>x</form>"), FetchError("no", fault=LoadFault("status 401", status=401))]
)
def test_a_page_that_asks_for_a_login_waits_for_a_newer_session_and_not_for_ever(
    loader: SessionLoader, inner: Inner, outcome: Handover | Exception
) -> None:
    given, inner.outcome = payload(), outcome
    for version in range(1, MOST_LOGINS + 1):
        loader.learn(Session("a.example", version))
        again = outcome_of(loader, given)
        assert isinstance(again, ToSession)
        assert again.version == version
        given = again.payload
    loader.learn(Session("a.example", MOST_LOGINS + 1))
    last = outcome_of(loader, given)
    assert isinstance(last, FetchError)
    assert "keeps asking for a login" in str(last)


def test_the_job_that_logs_in_asks_for_grants_of_its_own_and_then_for_its_page(
    loader: SessionLoader, inner: Inner
) -> None:
    inner.outcome = ToGrant("a.example:443", payload(LOGIN.url))
    waits = outcome_of(loader, payload(logs_in=True))
    assert isinstance(waits, ToGrant)
    inner.outcome = page(b"<p>in</p>", LOGIN.url)
    state = waits.payload.expect(LoadState).with_grant(Grant("a.example:443", 9.0))
    back = outcome_of(loader, waits.payload.advance(state))
    assert inner.begun[-1].expect(LoadState).grant == state.grant
    assert isinstance(back, ToSession)
    assert back.payload.expect(LoadState) == LoadState()
    assert [change.login for change in loader.take_changes()] == ["done"]


@pytest.mark.parametrize(
    ("fault", "login"), [(LoadFault(is_transient=True), "again"), (LoadFault(), "failed")]
)
def test_a_login_fails_for_good_unless_the_failure_may_pass(
    loader: SessionLoader, inner: Inner, fault: LoadFault, login: str
) -> None:
    inner.outcome = FetchError("no", fault=fault)
    assert outcome_of(loader, payload(logs_in=True)) is inner.outcome
    (change,) = loader.take_changes()
    assert (change.login, change.message) == (login, "no")
