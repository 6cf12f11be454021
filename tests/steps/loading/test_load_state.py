"""LoadState: a grant is for one request, and a lost request is repeated on a new connection."""

from __future__ import annotations

from scoopi.model.handover import Grant
from scoopi.model.locator import Locator
from scoopi.steps.loading.load_state import FORM, LoadState, LoginStage

GRANT = Grant("h:80", 1.0)
HOP = LoadState(url="http://h/b", hops=2, cookies=("c",), public_only=True)


def test_an_order_that_waits_for_a_grant_and_gets_it_is_the_same_otherwise() -> None:
    granted = HOP.with_grant(GRANT)
    assert granted == LoadState(GRANT, url="http://h/b", hops=2, cookies=("c",), public_only=True)
    assert granted.without_grant() == HOP


def test_an_order_with_a_grant_does_not_look_into_the_archive_again() -> None:
    archived = LoadState(archived=True)
    assert not archived.with_grant(GRANT).archived
    assert not archived.without_grant().archived


def test_a_lost_request_is_repeated_on_a_new_connection_however_often_its_grant_expires() -> None:
    lost = HOP.with_grant(GRANT).without_grant(was_lost=True)
    assert lost.lost == 1
    assert lost.with_grant(GRANT).without_grant().lost == 1


def test_the_page_of_a_login_is_requested_with_the_grant_of_the_job_that_logs_in() -> None:
    stage = LoginStage(FORM, Locator("login", "", "http://h/login"), HOP)
    assert stage.granted(GRANT) == HOP.with_grant(GRANT)
    assert stage.granted(None) == HOP
