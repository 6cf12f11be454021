"""Locators that stand for many pages: short and long forms, and what can be wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.defs.written import DATA, TASKS, Check, Outcome

RECORDS = """\
dataDefs:
  temps:
    each: li
    fields: { n: { parent: n }, name: b }
"""
AT = "defs.yml"


def definitions_with(locator: str, rest: str = TASKS + DATA) -> dict[str, str]:
    return {AT: f"locatorGroups:\n  city:\n    locators:\n      - {locator}\n{rest}"}


@pytest.mark.parametrize(
    "locator",
    [
        '{ name: "p%{n}", url: "http://a/%{n}", n: 1-3 }',
        '{ name: "p%{n}", url: "http://a/%{n}", values: { n: 1-3 } }',
        '{ name: "p%{n}", url: "http://a/%{n}", n: [ 1, "2", 3 ] }',
    ],
)
def test_values_may_stand_beside_the_address(check: Check, locator: str) -> None:
    checked = check(definitions_with(locator))
    assert checked.found == []
    pages = [page for each in checked.definitions.locator_groups["city"].locators for page in each.each()]
    assert [(page.name, page.url) for page in pages] == [(f"p{n}", f"http://a/{n}") for n in (1, 2, 3)]


def test_a_parameter_with_a_placeholder_is_encoded_once(check: Check) -> None:
    locator = '{ name: p, url: "http://a/?x", params: { "a b": "%{t}&%%{t}" }, t: [ "é &" ] }'
    checked = check(definitions_with(locator))
    assert checked.found == []
    (one,) = checked.definitions.locator_groups["city"].locators
    assert [page.url for page in one.each()] == ["http://a/?x&a+b=%C3%A9+%26%26%{t}"]


def test_a_doubled_mark_is_no_placeholder(check: Check) -> None:
    checked = check(definitions_with('{ name: "%%{n}", url: "http://a/%%{n}" }'))
    assert checked.found == []
    (one,) = checked.definitions.locator_groups["city"].locators
    assert (one.name, one.url) == ("%{n}", "http://a/%{n}")


def test_a_field_reads_a_value_of_its_locator(check: Check) -> None:
    checked = check(definitions_with('{ name: p, url: "http://a/%{n}", n: 1-3 }', TASKS + RECORDS))
    assert checked.found == []
    assert checked.definitions.task_groups["city"].parents == ("n",)


@pytest.mark.parametrize(
    ("locator", "found"),
    [
        (
            '{ name: p, url: "http://a/%{n}" }',
            "4:25: error locatorGroups.city.locators[0].url: %{n} has no values; "
            "add `n: 1-50` beside the url",
        ),
        (
            '{ name: p, url: "http://a/%{n}", values: { m: 1-3 } }',
            "4:25: error locatorGroups.city.locators[0].url: %{n} has no values; known are m",
        ),
        (
            '{ name: p, url: "http://a/%{num}", nmu: 1-3, num: 1-3 }',
            "4:44: error locatorGroups.city.locators[0]: unknown key nmu; known are name, url, method, "
            "params, headers, form, json, idempotent, from, values; "
            "a value needs a placeholder: write %{nmu} in url",
        ),
        (
            '{ name: p, url: "http://a/%{n}", n: 3-1 }',
            "4:45: error locatorGroups.city.locators[0].n: n ends before it begins; write 1-3",
        ),
        (
            '{ name: p, url: "http://a/%{n/x", n: 1-3 }',
            "4:25: error locatorGroups.city.locators[0].url: the placeholder %{n is not closed; "
            "close it with }; %%{ stands for the text %{",
        ),
        (
            '{ name: p, url: "http://a/%{n}", n: 1-200000000 }',
            "4:42: error locatorGroups.city.locators[0]: these are 200,000,000 pages, but at most "
            "100,000,000 are possible; make several groups, or smaller ranges",
        ),
    ],
)
def test_what_is_wrong_is_reported_where_it_stands(check: Check, locator: str, found: str) -> None:
    assert check(definitions_with(locator)).found == [found]


def test_a_field_whose_value_no_locator_gives_is_reported(check: Check) -> None:
    (found,) = check(definitions_with("{ name: p, url: http://a/ }", TASKS + RECORDS)).found
    assert "no field leads to group city, so there is no parent with a field n" in found
    assert found.endswith("or values to its locators")


FILE = '{ name: "%{n}", url: "http://a/%{n}?c=%{c}", from: "%s" }'


def rows(folder: Path, content: str, name: str = "p.csv") -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def pages(checked: Outcome) -> list[tuple[str, str]]:
    locators = checked.definitions.locator_groups["city"].locators
    return [(page.name, page.url) for each in locators for page in each.each()]


def test_each_row_of_a_file_is_a_page(check: Check, tmp_path: Path) -> None:
    file = rows(tmp_path, "n,c\n" + "".join(f"{n},ø {n}\n" for n in range(1200)))
    checked = check(definitions_with(FILE.replace("%s", file), TASKS + RECORDS))
    assert checked.found == []
    assert pages(checked) == [(f"{n}", f"http://a/{n}?c=%C3%B8+{n}") for n in range(1200)]
    assert checked.definitions.task_groups["city"].parents == ("n",)


def test_rows_are_combined_with_values(check: Check, tmp_path: Path) -> None:
    file = rows(tmp_path, "n,x\n7,0\n8,0\n")
    locator = f'{{ name: p, url: "http://a/%{{n}}/%{{m}}", m: 1-2, from: {file} }}'
    checked = check(definitions_with(locator))
    assert checked.found == []
    assert [url for _, url in pages(checked)] == [f"http://a/{n}/{m}" for n in (7, 8) for m in (1, 2)]


def test_the_pages_of_a_group_may_stand_in_a_file(check: Check, tmp_path: Path) -> None:
    file = rows(tmp_path, "http://a/%{1}\nhttp://b/\n", "p.txt")
    checked = check(f"locatorGroups: {{ city: {{ from: {file} }} }}\n" + TASKS + DATA)
    assert checked.found == []
    assert pages(checked) == [("city", "http://a/%{1}"), ("city", "http://b/")]
    file = rows(tmp_path, '{"n": 1}\n{"n": 2}\n', "p.jsonl")
    checked = check(f'locatorGroups: {{ city: {{ from: {file}, url: "http://c/%{{n}}" }} }}\n' + TASKS + DATA)
    assert pages(checked) == [("city", "http://c/1"), ("city", "http://c/2")]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "4:60: error {key}: {file}: the file has no header; begin it with the names of its columns"),
        ("n,c\n1\n", "p.csv:2:1: error {key}: the row has 1 cell, but the header has 2"),
        (
            "m\n1\n",
            "4:30: error locatorGroups.city.locators[0].url: %{{n}} has no values; known are m",
        ),
        (
            "n,m\n1,2\n",
            "4:30: error locatorGroups.city.locators[0].url: %{{c}} has no values; known are m, n",
        ),
        ("n,c\n", "4:60: warning {key}: {file} has no rows; is it the right one?"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported(
    check: Check, tmp_path: Path, content: str, found: str
) -> None:
    file = rows(tmp_path, content)
    said = check(definitions_with(FILE.replace("%s", file), TASKS + RECORDS)).found
    expected = found.format(key="locatorGroups.city.locators[0].from", file=file)
    assert any(expected in each for each in said), said
    assert not any("no field leads to group" in each for each in said) or "m\n" in content


@pytest.mark.parametrize(
    ("group", "found"),
    [
        ("{ from: pages.xml }", "a file with a row for each page; write { from: sitemap, url: pages.xml }"),
        (
            "{ from: http://a/rss }",
            "a file with a row for each page; write { from: feed, url: http://a/rss }",
        ),
        ("{ from: rss, url: http://a/ }", "a file with a row for each page; did you mean feed?"),
        ("{ from: p.csv, locators: [] }", "the group has both from: p.csv and locators"),
        (
            "{ from: p.csv, match: x }",
            "match is for pages that a sitemap or a feed lists; remove it, and leave rows out of the source",
        ),
        ("{ from: stdin.xml }", "a row for each page; write stdin, or stdin.csv, stdin.tsv, stdin.jsonl"),
        (
            "{ locators: [ { name: p, url: 'http://a/%{n}', from: sitemap } ] }",
            "sitemap is not a file with a row for each page; name a file that ends in .csv",
        ),
    ],
)
def test_a_group_with_a_file_has_nothing_else(check: Check, group: str, found: str) -> None:
    said = check(f"locatorGroups: {{ city: {group} }}\n" + TASKS + DATA).found
    assert any(found in each for each in said), said


def test_a_column_and_a_value_of_one_name_are_reported(check: Check, tmp_path: Path) -> None:
    file = rows(tmp_path, "n\n7\n")
    locator = f'{{ name: p, url: "http://a/%{{n}}", n: 1-2, from: {file} }}'
    (found,) = check(definitions_with(locator)).found
    assert "n has values, but " in found
    assert found.endswith("give one of them another name")


def test_a_file_of_which_no_placeholder_stands_for_a_column_is_reported(check: Check, tmp_path: Path) -> None:
    file = rows(tmp_path, "m\n1\n")
    (found,) = check(definitions_with(f'{{ name: p, url: "http://a/%{{n}}", n: 1-2, from: {file} }}')).found
    assert f"no placeholder stands for a column of {file}; write %{{m}} in the address" in found


@pytest.mark.parametrize(
    ("group", "found"),
    [
        ('{ url: "http://a/" }', [("city", "http://a/")]),
        ('{ url: "http://a/%{n}", n: 1-2 }', [("city", "http://a/1"), ("city", "http://a/2")]),
        ('{ url: "http://a/%{n}", name: "p%{n}", n: 1-2 }', [("p1", "http://a/1"), ("p2", "http://a/2")]),
        (
            '{ from: FILE, url: "http://a/%{m}/%{n}", n: 1-2 }',
            [("city", "http://a/7/1"), ("city", "http://a/7/2")],
        ),
    ],
)
def test_a_group_with_an_address_is_one_locator(
    check: Check, tmp_path: Path, group: str, found: list[tuple[str, str]]
) -> None:
    file = rows(tmp_path, "m\n7\n")
    checked = check(f"locatorGroups: {{ city: {group.replace('FILE', file)} }}\n" + TASKS + DATA)
    assert (checked.found, pages(checked)) == ([], found)


def test_a_locator_from_rows_may_have_a_request_whatever_its_address_begins_with(
    check: Check, tmp_path: Path
) -> None:
    file = rows(tmp_path, "m\nhttp://a/\n")
    group = f'{{ from: {file}, url: "%{{m}}", form: {{ a: b }} }}'
    assert check(f"locatorGroups: {{ city: {group} }}\n" + TASKS + DATA).found == []


def test_a_file_without_addresses_needs_a_url(check: Check, tmp_path: Path) -> None:
    (tmp_path / "shops.csv").write_text("id,town\n1,oslo\n")
    (found,) = check(f"locatorGroups: {{ city: {{ from: {tmp_path}/shops.csv }} }}\n{TASKS}{DATA}").sentences
    assert "locatorGroups.city: the rows have no column url, and the group has no url" in found
    assert found.endswith('add `url: "https://…/%{town}"`; columns are id, town')
