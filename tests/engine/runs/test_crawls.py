"""Runs that crawl a site, and that read a list page after page."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.model.report.run_report import RunReport
from tests.server.server import Server

DEFINITIONS = """
locatorGroups: { page: /site/index.html }
taskGroups:
  page:
    titles: { dataDef: title, output: titles.csv }
    links: { crawl: { TERMS } }
dataDefs:
  title: { fields: { title: h1 } }
"""
SITE = {
    "index": ["a.html", "b.html#top", "login.html", "photo.png", "mailto:a@b", "javascript:void(0)"],
    "a": ["index.html", "c.html", "a.html#here"],
    "b": ["c.html", "b.html"],
    "c": ["d.html"],
    "d": ["e.html", "index.html"],
    "e": [],
    "login": ["a.html"],
}
LISTS = """
locatorGroups: { list: /site/1.html }
taskGroups:
  list:
    titles: { dataDef: title, output: titles.csv }
    more: { next: NEXT }
dataDefs:
  title: { fields: { title: h1 } }
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunReport]:
    """Runs definitions over a site of these pages and their links."""
    monkeypatch.chdir(tmp_path)

    def with_site(definitions: str, site: Mapping[str, list[str]]) -> RunReport:
        (tmp_path / "site").mkdir()
        for name, links in site.items():
            anchors = "".join(f'<a href="{link}">to {link}</a>' for link in links)
            (tmp_path / "site" / f"{name}.html").write_text(f"<h1>{name}</h1>{anchors}")
        (tmp_path / "defs.yml").write_text(definitions.replace("/site", str(tmp_path / "site")))
        return Scoopi("defs.yml", output=tmp_path / "output", environ={}, workers=0).run()

    return with_site


def titles(report: RunReport) -> list[str]:
    """The titles of the pages that were read, sorted."""
    return sorted((Path(report.folder) / "titles.csv").read_text().split()[1:])


@pytest.mark.parametrize(
    ("terms", "read"),
    [
        ("deny: /login", ["a", "b", "c", "d", "e", "index"]),
        ("deny: /login, once: locator", ["a", "b", "c", "d", "e", "index"]),
        ("deny: /login, depth: 2", ["a", "b", "c", "index"]),
        ('allow: "/[ac].html"', ["a", "c", "index"]),
    ],
)
def test_a_crawl_reads_each_page_of_a_site_once(
    run: Callable[..., RunReport], terms: str, read: list[str]
) -> None:
    report = run(DEFINITIONS.replace("TERMS", terms), SITE)
    assert (report.errors, titles(report)) == ((), read)
    assert report.pages == len(read)
    assert not any(field.unreadable for field in report.fields)


def test_a_crawl_without_rules_reads_the_pages_of_the_host(run: Callable[..., RunReport]) -> None:
    report = run(DEFINITIONS.replace("{ TERMS }", "true"), SITE)
    assert (report.errors, titles(report)) == ((), ["a", "b", "c", "d", "e", "index", "login"])


@pytest.mark.parametrize(
    ("terms", "count"),
    [('{ select: "a @href", max: 3 }', 3), ('"a @href"', 6), ('{ select: "a @href", max: 9 }', 6)],
)
def test_a_list_is_read_page_after_page_until_its_last_or_the_most_or_one_seen_before(
    run: Callable[..., RunReport], terms: str, count: int
) -> None:
    pages = {str(number): [f"{number + 1}.html"] for number in range(1, 6)} | {"6": ["2.html"]}
    report = run(LISTS.replace("NEXT", terms), pages)
    assert (report.errors, titles(report)) == ((), [str(number) for number in range(1, count + 1)])
    assert report.pages == count


ENDLESS = """
locatorGroups: { list: SITE/list/1 }
taskGroups:
  list:
    ads: { dataDef: ad, output: ads.csv }
    more: { next: { select: "a @href", UNTIL } }
dataDefs:
  ad: { each: li, fields: { name: b, posted: { select: i, type: date } } }
"""


def endless_list(path: str) -> bytes:
    """A list whose last page is 4; for higher numbers its site shows that again, with a link to the next."""
    number = int(path.rpartition("/")[2])
    shown = min(number, 4)
    items = "".join(f"<li><b>ad {shown}.{n}</b> <i>2026-0{6 - shown}-1{n}</i>" for n in range(3))
    return f"<ul>{items}</ul><a href='/list/{number + 1}'>next</a>".encode()


@pytest.mark.parametrize(
    ("until", "pages", "ads"),
    [
        ("until: no-new-items", 5, 15),
        ("until: [ no-new-items, seen ], max: 3", 3, 9),
        ("until: older-than 2026-04-01", 3, 9),
        ("until: [ older-than 2026-04-11, no-new-items ]", 3, 9),
        ("until: [ older-than 2020-01-01, no-new-items ], by: posted", 5, 15),
    ],
)
def test_a_list_without_an_end_ends_where_it_has_nothing_new_or_only_what_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: str, pages: int, ads: int
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {"scoopi.loader.fetch.delay": "0", "scoopi.loader.robots": "false"}
    with Server(endless_list) as server:
        text = ENDLESS.replace("SITE", server.url("")).replace("UNTIL", until)
        (tmp_path / "defs.yml").write_text(text)
        report = Scoopi("defs.yml", configs=settings, environ={}, workers=0).run()
    assert (report.errors, report.pages, report.rows) == ((), pages, {"ads.csv": ads})


LISTED = """
locatorGroups:
  page: { from: SOURCE, url: /site/list.html, MATCH }
taskGroups:
  page: { titles: { dataDef: title, output: titles.csv } }
dataDefs:
  title: { fields: { title: h1 }, meta: [ locator ] }
"""
URLS = [("a", "2026-02-01"), ("b", "2025-12-31T23:00:00Z"), ("c", ""), ("d", "2026-01"), ("e", "2025")]


@pytest.mark.parametrize(
    ("match", "read"),
    [
        ("", ["a", "b", "c", "d", "e"]),
        ("since: 2026-01-15", ["a", "c", "d"]),
        ('since: 2026-01-15, match: "[ab].html"', ["a"]),
    ],
)
def test_pages_of_a_sitemap_are_read_once_also_from_sitemaps_of_an_index(
    run: Callable[..., RunReport], tmp_path: Path, match: str, read: list[str]
) -> None:
    urls = "".join(
        f"<url><loc>\n {tmp_path}/site/{name}.html </loc>{f'<lastmod>{day}</lastmod>' if day else ''}</url>"
        for name, day in URLS
    )
    sitemap = f"<?xml version='1.0'?><urlset xmlns='http://s/0.9'>{urls}</urlset>"
    (tmp_path / "one.xml").write_text(sitemap)
    (tmp_path / "two.xml.gz").write_bytes(gzip.compress(sitemap.encode()))
    index = "".join(f"<sitemap><loc>{tmp_path}/{name}</loc></sitemap>" for name in ("one.xml", "two.xml.gz"))
    (tmp_path / "index.xml").write_text(f"<?xml version='1.0'?><sitemapindex>{index}</sitemapindex>")
    definitions = LISTED.replace("SOURCE", "sitemap").replace("MATCH", match)
    definitions = definitions.replace("/site/list.html", str(tmp_path / "index.xml"))
    report = run(definitions, {name: [] for name, _ in URLS})
    assert (report.errors, titles(report)) == ((), [f"page,{name}" for name in read])
    assert report.pages == len(read) + 3


def test_a_sitemap_that_ends_early_is_one_warning_and_its_pages_are_read(
    run: Callable[..., RunReport], tmp_path: Path
) -> None:
    urls = [f"<url><loc>{tmp_path}/site/{name}.html</loc></url>" for name in ("a", "b")]
    (tmp_path / "list.xml").write_text(f"<urlset>{''.join(urls)}<url><loc>{tmp_path}/si")
    definitions = LISTED.replace("SOURCE", "sitemap").replace(", MATCH", "")
    report = run(definitions.replace("/site/list.html", str(tmp_path / "list.xml")), {"a": [], "b": []})
    assert (report.errors, titles(report)) == ((), ["page,a", "page,b"])
    (warning,) = report.warnings
    assert (warning.cause, warning.count) == ("the list is damaged, and entries may be lost", 1)
    assert "list.xml: the list is damaged, and entries may be lost: line 1: Prem" in warning.example.message


@pytest.mark.parametrize(
    "feed",
    [
        "<rss><channel><link>FOLDER/home.html</link><item><link>FOLDER/a.html</link><title>A</title></item>"
        "<item><title>B</title><link>FOLDER/b.html</link></item></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='FOLDER/home.html'/>"
        "<entry><link rel='edit' href='FOLDER/edit.html'/><link href='FOLDER/a.html'/></entry>"
        "<entry><link rel='alternate' href='FOLDER/b.html'/></entry></feed>",
    ],
)
def test_pages_of_a_feed_are_read(run: Callable[..., RunReport], tmp_path: Path, feed: str) -> None:
    (tmp_path / "feed.xml").write_text("<?xml version='1.0'?>" + feed.replace("FOLDER", f"{tmp_path}/site"))
    definitions = LISTED.replace("SOURCE", "feed").replace(", MATCH", "")
    definitions = definitions.replace("/site/list.html", str(tmp_path / "feed.xml"))
    report = run(definitions, {"a": [], "b": []})
    assert (report.errors, titles(report), report.pages) == ((), ["page,a", "page,b"], 3)
