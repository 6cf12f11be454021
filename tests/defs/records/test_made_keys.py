"""Findings about short forms name the keys that the user wrote, each fault once."""

from __future__ import annotations

import pytest

from tests.defs.written import DATA, TASKS, Check

DEFS = """\
locatorGroups: {{ list: "http://a/" }}
taskGroups:
  list:
    ads: {{ dataDef: ad, output: ads.csv }}
    more: {links}
dataDefs: {{ ad: {{ each: li, fields: {{ name: h3 }} }} }}
"""


@pytest.mark.parametrize(
    ("links", "found"),
    [
        (
            '{ next: { selector: "a.next @href" } }',
            "5:21: error taskGroups.list.more.next: unknown key selector; did you mean select?",
        ),
        (
            "{ next: { max: 3 } }",
            '5:13: error taskGroups.list.more.next: select is missing; add `select: "li.next > a @href"`',
        ),
        (
            '{ next: { select: "a @href", max: x } }',
            '5:45: error taskGroups.list.more.next.max: max must be a whole number, not "x"; write `max: 20`',
        ),
        (
            '{ next: { select: "a @href", group: lst } }',
            "5:47: error taskGroups.list.more.next.group: there is no task group lst to follow; "
            "did you mean list?",
        ),
        (
            '{ follow: { select: "a @href" } }',
            "5:13: error taskGroups.list.more.follow: group is missing; add `group: list`",
        ),
        (
            "{ next: true }",
            "5:19: error taskGroups.list.more.next: next must be a mapping (or a selector, or a list of "
            'selectors), not true; write `next: { select: "li.next > a @href", max: 20 }`',
        ),
        (
            "{ follow: detail }",
            "5:21: error taskGroups.list.more.follow: follow must be a mapping, not a text; "
            'write `follow: { select: "li.next > a @href", group: list }`',
        ),
        (
            "{ crawl: false }",
            "5:20: error taskGroups.list.more.crawl: crawl must be a mapping (or true), not false; "
            'write `crawl: { same: host, deny: "/login", depth: 4 }`',
        ),
    ],
)
def test_a_wrong_task_of_links_gives_one_finding_without_its_field(
    check: Check, links: str, found: str
) -> None:
    assert check(DEFS.format(links=links)).found == [found]


@pytest.mark.parametrize(
    ("group", "key"),
    [
        ('{ url: "http://a/%{n}", n: 5-1 }', "locatorGroups.city.n: n ends before it begins"),
        ('{ url: "http://a/%{n}", values: { n: 5-1 } }', "locatorGroups.city.values.n: n ends before"),
        ('{ url: "http://a/%{n}" }', "locatorGroups.city.url: %{n} has no values"),
        ('"http://a/%{n}"', "locatorGroups.city: %{n} has no values"),
        ('[ "http://a/", "http://a/%{n}" ]', "locatorGroups.city[1]: %{n} has no values"),
        ('[ "http://a/", "" ]', "locatorGroups.city[1]: url is blank"),
        ('[ { url: "http://a/" } ]', "locatorGroups.city[0]: name is missing"),
        (
            '[ { name: a, url: "http://a/" }, { name: b, url: "http://a/%{n}" } ]',
            "locatorGroups.city[1].url: %{n} has no values",
        ),
        (
            '{ locators: [ "http://a/", "http://a/%{n}" ] }',
            "locatorGroups.city.locators[1]: %{n} has no values",
        ),
        (
            '{ url: "http://a/", form: { b: [ x, { c: d } ] } }',
            "locatorGroups.city.form.b[1]: b[1] must be a single value",
        ),
        (
            '{ locators: [ { name: p, url: "http://a/%{n}", values: { n: 5-1 } } ] }',
            "locatorGroups.city.locators[0].values.n: n ends before",
        ),
        (
            '{ from: sitemap, url: "http://a/%{n}.xml", n: 5-1 }',
            "locatorGroups.city.n: n ends before it begins",
        ),
        ('{ from: sitemap, url: "http://a/%{m}.xml" }', "locatorGroups.city.url: %{m} has no values"),
        (
            '{ from: sitemap, url: [ "http://a/1.xml" ] }',
            "locatorGroups.city.url: url must be a single value, not a list",
        ),
        (
            '{ from: { databse: "sqlite:a", query: select 1 } }',
            "locatorGroups.city.from: unknown key databse; did you mean database?",
        ),
        ('{ from: sitemap, url: "http://a/sitemap.xml", mach: b }', "locatorGroups.city: unknown key mach"),
        (
            '{ from: sitemap, url: "http://a/sitemap.xml", match: { a: b } }',
            "locatorGroups.city.match: match must be a single value, not a mapping",
        ),
    ],
)
def test_a_finding_about_a_locator_has_the_path_as_written(check: Check, group: str, key: str) -> None:
    (found,) = check(f"locatorGroups: {{ city: {group} }}\n{TASKS}{DATA}").sentences
    assert key in found
