"""retries_of: what a run would do after the failure that `scoopi fetch` shows."""

from __future__ import annotations

import pytest

from scoopi.errors import DisallowedError, FetchError, LoadFault
from scoopi.model.sites import Site, SiteBlock, Sites
from scoopi.pages.page_visit import NOT_AGAIN, RobotsError, retries_of

URL = "https://shop.example/list"
BUSY = FetchError("busy", fault=LoadFault("status 503", True, 503))
GONE = FetchError("gone", fault=LoadFault("status 404", False, 404))
QUICK = Sites(Site(retry={"attempts": 3, "delay": 250}))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BUSY, "a run retries it up to 2 times, the first time after 0.25 s"),
        (GONE, NOT_AGAIN),
        (DisallowedError("disallowed by line 2"), ""),
        (RobotsError("status 503", URL, "", "a run asks again in a minute"), "a run asks again in a minute"),
    ],
)
def test_what_a_run_does_after_a_failure_is_said(error: FetchError, said: str) -> None:
    assert retries_of(error, QUICK, URL) == said


def test_the_retries_of_the_pages_own_site_count() -> None:
    sites = Sites(QUICK.defaults, [SiteBlock("shop.example", {"retry": {"attempts": 1}})])
    assert retries_of(BUSY, sites, URL) == NOT_AGAIN
    assert retries_of(BUSY, sites, "https://other.example/") != NOT_AGAIN
