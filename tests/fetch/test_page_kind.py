"""page_kind: pictures, films and archives are no pages, whatever their servers call them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.page_kind import foreign_kind, is_media, refuse_foreign
from scoopi.model.locator import Document, Locator


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("image/jpeg", b"", "image/jpeg"),
        ("text/html", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("application/json", b"%PDF-1.7", "application/pdf"),
        ("application/vnd.ms-excel", b"\xd0\xcf\x11\xe0", "application/vnd.ms-excel"),
        ("application/octet-stream", b"\x00\x00", "application/octet-stream"),
        ("Video/MP4; codecs=x", b"<p>", "video/mp4"),
        ("image/" + "x" * 100, b"", "image/" + "x" * 54),
    ],
)
def test_what_is_not_a_page_is_called_by_its_kind(content_type: str, body: bytes, kind: str) -> None:
    assert foreign_kind(content_type, body) == kind


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("", b"\x00\x01"),
        ("text/html", b""),
        ("text/csv", b"a,b"),
        ("application/json", b"1"),
        ("application/ld+json", b"1"),
        ("application/xhtml+xml", b"x"),
        ("image/svg+xml", b"<svg/>"),
        ("application/rss+xml", b""),
        ("application/octet-stream", b"\r\n <html>"),
        ("application/x-httpd-php", b"\xef\xbb\xbf<p>"),
        ("application/vnd.api+json", b"{}"),
        ("html", b"x"),
        ("*/*", b"x"),
    ],
)
def test_markup_json_and_text_are_pages(content_type: str, body: bytes) -> None:
    assert foreign_kind(content_type, body) == ""
    assert not is_media(content_type)


def test_a_refused_document_is_a_permanent_fault_that_names_its_kind_and_address() -> None:
    locator = Locator("a", "g", "http://h/a")
    document = Document(
        locator, "http://h/a.jpg", datetime(2026, 1, 1, tzinfo=UTC), None, b"", content_type="image/jpeg"
    )
    with pytest.raises(
        FetchError, match=r"http://h/a.jpg: the page is image/jpeg; a page is HTML, XML, JSON"
    ) as found:
        refuse_foreign(document)
    assert not found.value.fault.is_transient
