"""What a driver says of a page that did not come, and what it means."""

from __future__ import annotations

import pytest

from scoopi.browser.page.navigation_faults import NO_PAGE, fault_of


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("net::ERR_NAME_NOT_RESOLVED", "dns"),
        ("net::ERR_CONNECTION_RESET", "reset"),
        ("net::ERR_CONNECTION_REFUSED", "connect"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("net::ERR_CERT_AUTHORITY_INVALID", ""),
        ("about:neterror?e=dnsNotFound", "dns"),
        ("about:neterror?e=nssFailure2", ""),
    ],
)
def test_a_fault_of_the_network_has_its_reason(said: str, reason: str) -> None:
    failure = fault_of(f"unknown error: {said}&u=x\n  (Session info: chrome=156.0)")
    assert failure is not None
    assert failure.reason == reason
    assert said.removeprefix("net::").removeprefix("about:neterror?e=") in failure.what


def test_a_download_is_no_page_and_other_words_are_no_fault_of_the_page() -> None:
    assert fault_of("unknown error: net::ERR_ABORTED\n") is NO_PAGE
    assert fault_of("chrome not reachable") is None
