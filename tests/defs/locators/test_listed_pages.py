"""Locator groups whose pages a sitemap or a feed lists become task groups that read the list."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from scoopi.defs.locators.values_builder import local_today
from tests.defs.written import Outcome, check_in

TEXT = """
    locatorGroups:
      book: { GROUP }
    taskGroups:
      book: { titles: { dataDef: title, output: titles.csv } }
    dataDefs: { title: { fields: { title: h1 } } }
"""
SITEMAP = "from: sitemap, url: /sitemap.xml"


def checked(folder: Path, group: str) -> Outcome:
    """What is read of a file with this locator group."""
    return check_in(folder, {"defs.yml": TEXT.replace("GROUP", group)})


def test_a_sitemap_is_a_page_whose_links_are_the_pages_of_the_group(tmp_path: Path) -> None:
    outcome = checked(tmp_path, f"{SITEMAP}, match: [ /books/, /toys/ ], since: 2026-01-31")
    assert outcome.found == []
    (group,) = outcome.definitions.locator_groups.values()
    (locator,) = group.locators
    assert (group.name, locator.name, locator.url) == ("book.sitemap", "book", "/sitemap.xml")
    pages, index = (each.fields[0] for each in (
        outcome.definitions.record_defs["book.sitemap.pages"],
        outcome.definitions.record_defs["book.sitemap.index"],
    ))  # fmt: skip
    assert (pages.follow, index.follow) == ("book", "book.sitemap")
    assert pages.links is not None
    assert ([each.text for each in pages.links.allow], pages.links.same) == (["/books/", "/toys/"], "any")
    assert pages.selects[0].text == "pages[?!changed || changed >= `20260131`].address"
    assert index.selects[0].text == "sitemaps[].address"


def test_the_list_may_have_values_and_keys_of_its_request(tmp_path: Path) -> None:
    group = "from: sitemap, url: 'http://a/%{n}.xml', n: 1-2, headers: { Accept: b }, match: /b/"
    outcome = checked(tmp_path, group)
    assert outcome.found == []
    ((locator,),) = (each.locators for each in outcome.definitions.locator_groups.values())
    assert [each.url for each in locator.each()] == ["http://a/1.xml", "http://a/2.xml"]
    assert all(each.request is not None for each in locator.each())


def test_a_list_without_a_task_group_is_reported_with_the_key_as_written(tmp_path: Path) -> None:
    text = TEXT.replace("GROUP", SITEMAP).replace("      book: { titles", "      boks: { titles")
    (found,) = check_in(tmp_path, {"defs.yml": text}).found
    assert "locatorGroups.book: there is no task group book to follow; did you mean boks?" in str(found)


def test_since_may_count_from_today_and_is_for_feeds_too(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "from: feed, url: /news.rss, since: today-30")
    assert outcome.found == []
    (field,) = outcome.definitions.record_defs["book.feed.pages"].fields
    assert f"{local_today() - timedelta(days=30):%Y%m%d}" in field.selects[0].text


def test_a_feed_has_no_index(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "from: feed, url: /news.rss")
    assert outcome.found == []
    tasks = outcome.definitions.task_groups["book.feed"].tasks
    assert [task.name for task in tasks] == ["pages"]


@pytest.mark.parametrize(
    ("group", "what"),
    [
        (
            "from: sitmap, url: /s.xml",
            "sitmap is neither a source of pages nor a file with a row for each page; did you mean sitemap?",
        ),
        ("from: sitemap", "the sitemap has no address; add `url: https://…`"),
        ('from: "", url: /s.xml', "from is blank; write sitemap or feed, or a file that ends in .csv"),
        ("from: , url: /s.xml", "from has no value; write `from: sitemap`"),
        ("from: { file: a.csv }", "unknown key file; a file stands without a key, as in `from: shops.csv`"),
        (f"{SITEMAP}, since: 2026-13-01", "since is '2026-13-01', which is not a day"),
        (
            f"{SITEMAP}, since: yesterday",
            "since is 'yesterday', which is not a day; write `since: 2026-01-31`, or `since: today-30`",
        ),
        (f"{SITEMAP}, macth: x", "unknown key macth; did you mean match?"),
        (f"{SITEMAP}, locators: [ {{ name: a, url: /a }} ]", "both from: sitemap and locators"),
        ("", "locators is missing"),
        ("url: /s.xml", "url is for pages that a sitemap or a feed lists; add `from: sitemap`"),
        ("match: a, locators: [ { name: a, url: /a } ]", "match is for pages that"),
        ("since: 2026-01-01, locators: [ { name: a, url: /a } ]", "since is for pages that"),
    ],
)
def test_a_wrong_list_is_reported_with_its_place_and_a_hint(tmp_path: Path, group: str, what: str) -> None:
    found = checked(tmp_path, group).found
    assert any(what in each for each in map(str, found)), found
