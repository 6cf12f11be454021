"""SavedAddresses: one page serves all its fragments, and each address comes back as it was asked for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.archive.saved_addresses import SavedAddresses
from scoopi.fetch.address import parse_address
from scoopi.model.locator import Document, Locator

FRAGMENTS = ["", "#", "#a b", "#käse", "#100%", "#a#b", "#%C3%A4", '#`<">', "# "]


def loaded(written: str, group: str = "g") -> Document:
    """The page as the network gives it for an address as written."""
    date = datetime(2026, 1, 2, tzinfo=UTC)
    return Document(Locator("n", group, written), parse_address(written).url, date, None, b"x")


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_page_comes_back_with_the_fragment_that_was_asked_for_escaped_as_when_it_was_loaded(
    fragment: str,
) -> None:
    addresses, page = SavedAddresses(), loaded(f"http://h/a{fragment}")
    saved = addresses.document(page)
    assert saved.url == saved.locator.url.rstrip() == "http://h/a"
    assert addresses.asked(saved, page.locator) == page
    assert addresses.asked(saved, loaded("http://h/a#other").locator) == loaded("http://h/a#other")


def test_a_group_whose_loader_sees_fragments_has_a_page_for_each() -> None:
    addresses, page = SavedAddresses({"browsed"}), loaded("http://h/app#/book/1", "browsed")
    assert addresses.document(page) == page
    assert addresses.locator(page.locator) == page.locator


def test_the_name_of_a_file_may_contain_a_number_sign() -> None:
    locator = Locator("n", "g", "notes#1.html")
    assert SavedAddresses().locator(locator) == locator
