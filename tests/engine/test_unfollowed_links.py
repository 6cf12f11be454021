"""Rules of links that leave nothing, and lists that come to their end, as the report of a run shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.model.report.run_report import RunReport

Run = Callable[..., RunReport]
TITLES = """
dataDefs: { title: { fields: { title: h1 } } }
"""
TASK = "titles: { dataDef: title, output: titles.csv }"
CRAWL = "locatorGroups: { page: a.html }\ntaskGroups: { page: { %s, all: { crawl: %s } } }" + TITLES
LINKED = "locatorGroups: { page: a.html }\ntaskGroups: { page: { " + TASK + ", more: { %s } } }" + TITLES
NEXT = LINKED.replace("%s", "next: i a @href")
FOLLOW = LINKED.replace("%s", "follow: { select: i a @href, group: page }")
LISTED = (
    "locatorGroups: { page: { from: %s, url: list.xml, %s } }\ntaskGroups: { page: { "
    + TASK
    + " } }"
    + TITLES
)
LINKS = (
    "<a href=b.html>b</a><a href=c.html>c</a><a href=http://u:p@other.example/b>o</a><a href=mailto:x>m</a>"
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs definitions over files."""
    monkeypatch.chdir(tmp_path)

    def over(definitions: str, **files: str) -> RunReport:
        for name, body in files.items():
            (tmp_path / name.replace("_", ".")).write_text(body)
        (tmp_path / "defs.yml").write_text(definitions)
        return Scoopi("defs.yml", output=tmp_path / "output", environ={}, workers=0).run()

    return over


def page(links: str = "") -> str:
    return f"<h1>x</h1>{links}"


def test_a_crawl_that_follows_nothing_names_each_rule_with_an_address(run: Run) -> None:
    report = run(CRAWL % (TASK, "{ allow: /books/, deny: [ c.html ] }"), a_html=page(LINKS))
    assert report.empty == (
        "crawl of page.all: none of 4 links on 1 page is followed: "
        "1 not matched by `allow` '/books/', as b.html (defs.yml:2:94); "
        "1 matched by `deny` 'c.html', as c.html (defs.yml:2:111); "
        "1 on another host, as http://u:***@other.example/b (defs.yml:2:85); "
        "1 not addresses of pages, as mailto:x (defs.yml:2:85)",
    )


@pytest.mark.parametrize("rules", ["{ allow: b }", "{ deny: c }", "true"])
def test_a_crawl_that_follows_a_link_has_no_hint(run: Run, rules: str) -> None:
    report = run(
        CRAWL % (TASK, rules), a_html=page(LINKS), b_html=page(), c_html=page("<a href=b.html>b</a>")
    )
    assert (report.empty, report.jobs.done > 1) == ((), True)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("sitemap", "<urlset>%s</urlset>" % ("<url><loc>http://h/b/1</loc></url>" * 2)),
        ("feed", "<rss><channel>%s</channel></rss>" % ("<item><link>http://h/b/1</link></item>" * 2)),
    ],
)
def test_a_list_of_which_match_leaves_nothing_is_named_with_an_address(
    run: Run, kind: str, body: str
) -> None:
    report = run(LISTED % (kind, "match: /books/"), list_xml=body)
    (sentence,) = report.empty
    assert sentence.startswith(
        "group page: none of 2 links on 1 page is followed: "
        "2 not matched by `match` '/books/', as http://h/b/1 (defs.yml:1:"
    )


def test_a_list_of_which_since_leaves_nothing_says_so(run: Run) -> None:
    body = "<urlset><url><loc>http://h/b/1</loc><lastmod>2020-01-01</lastmod></url></urlset>"
    (sentence,) = run(LISTED % ("sitemap", "since: 2026-01-01"), list_xml=body).empty
    assert "its sitemap lists no page that `since` lets through" in sentence


def test_the_end_of_a_list_and_the_leaves_of_a_site_are_no_missing_values(run: Run) -> None:
    link = "<i><a href=b.html>x</a></i>"
    for definitions in (NEXT, CRAWL % (TASK, "true")):
        report = run(definitions, a_html=page(link), b_html=page())
        figures = {each.field: (each.filled, each.missing) for each in report.fields}
        assert (figures["link"], report.empty) == ((1, 0), ())


def test_a_next_that_finds_no_link_at_all_is_named(run: Run) -> None:
    (sentence,) = run(NEXT, a_html=page()).empty
    assert sentence.startswith(
        "next of page.more: its selector finds no link on 1 page; a list of several pages"
    )


def test_pages_without_links_to_follow_stay_missing_values(run: Run) -> None:
    report = run(FOLLOW, a_html=page("<i><a href=b.html>x</a></i>"), b_html=page())
    figures = {each.field: (each.filled, each.missing) for each in report.fields}
    assert figures["link"] == (1, 1)
