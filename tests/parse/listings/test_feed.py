"""Feeds as sites have them: RSS, Atom and JSON Feed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

import pytest

from scoopi.errors import ParseError
from scoopi.parse.listings.feed import read_feed
from tests.parse.listings.listed_document import document
from tests.parse.record_page import rows_of

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<link>http://a/</link><atom:link href="http://a/rss" rel="self"/>
<item><title><![CDATA[One &amp; <b>]]></title><link><![CDATA[ http://a/1 ]]></link>
 <pubDate>Tue, 03 Feb 2026 10:00:00 +0100</pubDate></item>
<item><link>http://a/2?b=1&amp;c=2</link><guid>http://a/guid</guid></item>
<item><guid>http://a/3</guid></item><item><guid isPermaLink="false">http://a/4</guid></item>
<item><title>without</title></item></channel></rss>"""
RDF = """<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><channel><link>http://a/</link></channel>
<item rdf:about="x"><link>http://a/1</link><dc:date>2026-02-03</dc:date></item></rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a/"/><entry>
<link rel="edit" href="/edit"/><link type="application/pdf" href="/1.pdf"/><link rel="alternate" href="/1"/>
<title>One</title><updated>2026-02-03T10:00:00Z</updated>
<content type="html">&lt;a href="/no"&gt;</content></entry>
</feed>"""
PREFIXED = ATOM.replace("<", "<a:").replace("<a:/", "</a:").replace("xmlns=", "xmlns:a=")
JSON = """{"version": "https://jsonfeed.org/version/1.1", "items": [
{"id": "1", "url": "http://a/1", "title": "One", "date_published": "2026-02-03T10:00:00Z"},
{"id": "2"}, 7]}"""


def entries(body: str) -> list[tuple[Any, ...]]:
    return [(each["address"], each["title"], each["changed"]) for each in read_feed(document(body))["pages"]]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            RSS,
            [
                ("http://a/1", "One &amp; <b>", 20260203),
                ("http://a/2?b=1&c=2", "", None),
                ("http://a/3", "", None),
            ],
        ),
        (RDF, [("http://a/1", "", 20260203)]),
        (ATOM, [("/1", "One", 20260203)]),
        (PREFIXED, [("/1", "One", 20260203)]),
        (JSON, [("http://a/1", "One", 20260203)]),
        ("<rss><channel><item><title>A &nbsp; B</title><link>http://a/1</link></item></channel></rss>", None),
    ],
)
def test_the_entries_of_a_feed_are_read(body: str, found: list[tuple[Any, ...]] | None) -> None:
    assert entries(body) == found if found is not None else entries(body)[0][0] == "http://a/1"


def test_entries_are_a_source_of_records() -> None:
    fields = {"title": "title", "at": {"select": "updated", "type": "datetime"}, "page": "address"}
    rows = rows_of(RSS, fields, source="feed", each="pages")
    assert rows[0] == ("One &amp; <b>", "2026-02-03T10:00:00+01:00", "http://a/1")


def test_the_charset_of_the_answer_counts_where_the_document_names_none() -> None:
    body = "<rss><channel><item><title>å</title><link>http://a/å</link></item></channel></rss>".encode(
        "latin-1"
    )
    found = read_feed(document(body, "iso-8859-1"))["pages"]
    assert (found[0]["title"], found[0]["address"]) == ("å", "http://a/å")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<html><body/></html>", "it begins with <html>"),
        ('{"items": 7}', "it is neither XML nor JSON"),
        ("[1]", "it is neither XML nor JSON"),
        ("gone", "it is neither XML nor JSON"),
    ],
)
def test_what_is_not_a_feed_is_an_error(body: str, what: str) -> None:
    with pytest.raises(ParseError, match="the page is not a feed") as error:
        read_feed(document(body))
    assert what in error.value.what


def test_addresses_are_joined_to_the_base_of_their_elements() -> None:
    body = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/">
    <entry><link href="1"/></entry><entry xml:base="old/"><link href="2"/><title>Two</title></entry>
    <entry><link xml:base="http://b/c/" href="../3"/></entry><entry><link href="http://d/4"/></entry>
    <entry xml:base="http://[x/"><link href="/5"/></entry></feed>"""
    found = read_feed(document(body))["pages"]
    assert [each["address"].removeprefix(urljoin(document(body).url, "/")) for each in found] == [
        "blog/1",
        "blog/old/2",
        "http://b/3",
        "http://d/4",
        "/5",
    ]


@pytest.mark.parametrize(
    "day", ["Mon, 1 Jan 99999999999999999999 00:00:00 GMT", "1 Jan 2026 10:00 +9999999999999"]
)
def test_a_day_that_no_calendar_has_is_as_it_is_written(day: str) -> None:
    body = f"<rss><channel><item><link>http://a/1</link><pubDate>{day}</pubDate></item></channel></rss>"
    assert [each["updated"] for each in read_feed(document(body))["pages"]] == [day]
