"""page_kind: pictures, films and archives are no pages, whatever their servers call them."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.page_kind import foreign_kind, is_media, refuse_foreign, unpacked
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


SITEMAP = b"<?xml version='1.0'?><urlset></urlset>"


def packed(url: str, body: bytes) -> Document:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    return Document(Locator("a", "b", url), url, now, None, body, content_type="application/gzip")


@pytest.mark.parametrize("url", ["https://h/sitemap.xml.gz", "https://h/a.XML.gz?v=1#top", "/a.xml.gz"])
def test_a_sitemap_in_a_gzip_file_is_unpacked(url: str) -> None:
    document = unpacked(packed(url, gzip.compress(SITEMAP)), 100)
    assert document.body == SITEMAP
    refuse_foreign(document)


def test_other_gzip_files_and_sitemaps_that_are_not_packed_stay_as_they_are() -> None:
    for document in (
        packed("https://h/rows.csv.gz", gzip.compress(SITEMAP)),
        packed("https://h/sitemap.xml.gz", SITEMAP),
    ):
        assert unpacked(document, 100) is document


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (gzip.compress(bytes(101), mtime=0), "more than 100 bytes when decompressed"),
        (gzip.compress(bytes(10_000_000), mtime=0), "more than 100 bytes when decompressed"),
        (gzip.compress(SITEMAP, mtime=0)[:-9], "its end is missing"),
        (b"\x1f\x8bno", "is damaged"),
    ],
    ids=["longer", "much longer", "cut", "no gzip"],
)
def test_a_gzip_file_that_is_damaged_or_too_long_is_refused(body: bytes, what: str) -> None:
    with pytest.raises(FetchError, match=what):
        unpacked(packed("https://h/sitemap.xml.gz", body), 100)
