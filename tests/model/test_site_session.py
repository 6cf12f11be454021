"""A session's cookies: what a page adds, replaces and removes."""

from __future__ import annotations

from scoopi.model.site_session import MOST_COOKIES, Session, SessionChange, changed, cookies_of

OLD = "a.example\tFALSE\t/\tFALSE\t0\tsid\told"
NEW = "a.example\tFALSE\t/\tFALSE\t0\tsid\tnew"
OTHER = "a.example\tFALSE\t/x\tFALSE\t0\tsid\tother"


def test_a_page_replaces_adds_and_removes_cookies() -> None:
    sent, received = cookies_of([OLD]), cookies_of([NEW, OTHER])
    change = changed("s", "job", sent, received)
    assert change is not None
    session = Session("s", cookies=sent).with_changes(change)
    assert list(session.cookies.values()) == [NEW, OTHER]
    gone = changed("s", "job", received, cookies_of([OTHER]))
    assert gone is not None
    assert list(session.with_changes(gone).cookies.values()) == [OTHER]


def test_a_page_that_changes_no_cookie_changes_nothing() -> None:
    assert changed("s", "job", cookies_of([OLD]), cookies_of([OLD])) is None


def test_a_session_does_not_grow_without_end() -> None:
    lines = {str(number): str(number) for number in range(MOST_COOKIES + 5)}
    assert len(Session("s").with_changes(SessionChange("s", "job", lines)).cookies) == MOST_COOKIES


def test_what_is_not_a_cookie_or_too_long_is_left_out() -> None:
    assert cookies_of(["", "x", OLD + "x" * 9000]) == {}
