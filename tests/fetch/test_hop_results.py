"""Response: what of a page's response its document keeps."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.fetch.hop_results import LONGEST_VALIDATOR, Response, validators_of
from scoopi.model.locator import Document, Locator, Validators

LOCATOR, DATE = Locator("n", "g", "/a.html"), datetime(2026, 1, 2, tzinfo=UTC)


def test_a_document_has_the_final_address_and_the_charset_of_the_response() -> None:
    answer = Response(200, {}, b"y", "koi8-r", "http://h/b")
    assert answer.document(LOCATOR, DATE) == Document(LOCATOR, "http://h/b", DATE, "koi8-r", b"y")


def test_the_content_type_of_a_document_is_in_lower_case_and_without_parameters() -> None:
    headers = {"content-type": " Text/HTML ; charset=x"}
    document = Response(200, headers, b"", "x", "http://h/", is_public=True).document(LOCATOR, DATE)
    assert document == Document(LOCATOR, "http://h/", DATE, "x", b"", True, "text/html")


def test_validators_that_are_too_long_are_not_sent_back() -> None:
    fits, long = "x" * LONGEST_VALIDATOR, "x" * (LONGEST_VALIDATOR + 1)
    assert validators_of({"etag": fits, "last-modified": long}) == Validators(fits, "")
    assert validators_of({"etag": long}) is validators_of({}) is None
