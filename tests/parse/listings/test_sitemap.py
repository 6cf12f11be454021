"""Sitemaps as sites have them: in XML with and without namespaces, in text, and in robots.txt."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.parse.listings.sitemap import listed, read_sitemap
from tests.parse.listings.listed_document import document

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def pages(body: str) -> list[tuple[str, int | None]]:
    found = read_sitemap(document(body))
    assert found["sitemaps"] == []
    return [(each["address"], each["changed"]) for each in found["pages"]]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"<urlset {NAMESPACE}><url><loc>\n http://a/ </loc></url></urlset>", [("http://a/", None)]),
        (
            f"\ufeff <?xml version='1.0'?><s:urlset {NAMESPACE.replace('xmlns', 'xmlns:s')}><s:url>"
            "<s:lastmod>2026-01-31T23:00:00+02:00</s:lastmod><s:loc>http://a/?b=1&amp;c=2</s:loc></s:url></s:urlset>",
            [("http://a/?b=1&c=2", 20260131)],
        ),
        (
            "<urlset xmlns:image='i'><url><loc><![CDATA[http://a/]]></loc>"
            "<image:image><image:loc>http://a/b.jpg</image:loc></image:image></url><url><loc/></url></urlset>",
            [("http://a/", None)],
        ),
        ("<urlset><url><loc>http://a/?b&c</loc></url><url><loc>http://b/", [("http://a/?b&c", None)]),
        ("<urlset/>", []),
        ("http://a/1\r\n\n https://a/2 \r\nno page\n", [("http://a/1", None), ("https://a/2", None)]),
        ("", []),
    ],
)
def test_the_pages_of_a_sitemap_are_read(body: str, found: list[tuple[str, int | None]]) -> None:
    if "b&c" in body:  # what a parser can save of a faulty one
        assert pages(body)[0][0].startswith("http://a/?b")
    else:
        assert pages(body) == found


def test_an_index_and_robots_txt_list_sitemaps() -> None:
    index = f"<sitemapindex {NAMESPACE}><sitemap><loc>http://a/1.xml</loc></sitemap></sitemapindex>"
    robots = "User-agent: *\nDisallow: /x\nSitemap: http://a/1.xml\nsitemap:http://a/2.xml.gz # new\n"
    assert [each["address"] for each in read_sitemap(document(index))["sitemaps"]] == ["http://a/1.xml"]
    found = read_sitemap(document(robots))
    assert [each["address"] for each in found["sitemaps"]] == ["http://a/1.xml", "http://a/2.xml.gz"]
    assert found["pages"] == []


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<!doctype html><html><body>not here</body></html>", "it is HTML, or malformed"),
        ("<html><body>not here</body></html>", "it begins with <html>"),
        ("<rss><channel/></rss>", "it begins with <rss>"),
        ("not found", "it lists no address"),
        ("<", "is HTML, or malformed"),
    ],
)
def test_what_is_not_a_sitemap_is_an_error(body: str, what: str) -> None:
    with pytest.raises(ParseError) as error:
        read_sitemap(document(body))
    assert "the page is not a sitemap" in error.value.what
    assert what in error.value.what


def test_a_feed_in_place_of_a_sitemap_leads_to_the_source_that_reads_it() -> None:
    with pytest.raises(ParseError) as error:
        read_sitemap(document("<rss><channel/></rss>"))
    assert error.value.hint == "write `from: feed`"


@pytest.mark.parametrize(
    ("updated", "changed"),
    [("2026-01-31", 20260131), ("2026-01", 20260199), ("2026", 20269999), ("", None), ("1.2.2026", None)],
)
def test_a_month_or_year_counts_as_its_end(updated: str, changed: int | None) -> None:
    assert listed("http://a/", updated)["changed"] == changed
