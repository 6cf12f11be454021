"""Short forms of definitions stand for the long ones."""

from __future__ import annotations

from pathlib import Path

from scoopi.model.locator import LinkBounds
from tests.defs.written import Outcome, check_in

LONG = """
    locatorGroups:
      list: { locators: [ { name: list, url: /a.html }, { name: list, url: /b.html } ] }
    taskGroups:
      list:
        books: { dataDef: book, output: [ { to: books.csv } ] }
        more: { dataDef: list.more, output: [ { to: none } ] }
    dataDefs:
      book:
        each: li
        key: [ title ]
        fields: { title: { select: [ b ] } }
      list.more:
        fields: { link: { select: [ "a @href" ], type: url, list: true, follow: list } }
"""
SHORT = """
    locatorGroups:
      list: [ /a.html, /b.html ]
    taskGroups:
      list:
        books: { dataDef: book, output: books.csv }
        more: { follow: { select: "a @href", group: list } }
    dataDefs:
      book: { each: li, key: title, fields: { title: b } }
"""


def checked(folder: Path, text: str) -> Outcome:
    """What is read of a file."""
    return check_in(folder, {"defs.yml": text})


def test_short_forms_give_the_definitions_of_the_long_ones(tmp_path: Path) -> None:
    long, short = checked(tmp_path / "long", LONG), checked(tmp_path / "short", SHORT)
    assert (long.found, short.found) == ([], [])
    assert {n: d.digest for n, d in long.definitions.record_defs.items()} == {
        n: d.digest for n, d in short.definitions.record_defs.items()
    }
    for definitions in (long.definitions, short.definitions):
        group = definitions.locator_groups["list"]
        assert [(each.name, each.url) for each in group.locators] == [
            ("list", "/a.html"),
            ("list", "/b.html"),
        ]
        outputs = {
            task.name: [each.to for each in task.outputs] for task in definitions.task_groups["list"].tasks
        }
        assert outputs == {"books": ["books.csv"], "more": []}


LINKS = """
    locatorGroups: { list: /a.html }
    taskGroups:
      list:
        titles: { dataDef: title, output: titles.csv }
        pages: { next: { select: "a.next @href", max: 5 } }
        site: { crawl: { deny: /login, depth: 2 } }
        shop: { crawl: { select: nav a @href, group: list, allow: [ a, b ], same: domain, once: locator } }
    dataDefs: { title: { fields: { title: h1 } } }
"""


def test_next_and_crawl_are_links_of_a_data_definition_with_rules(tmp_path: Path) -> None:
    outcome = checked(tmp_path, LINKS)
    assert outcome.found == []
    made = {name: each.fields[0] for name, each in outcome.definitions.record_defs.items() if "." in name}
    chosen = {
        name: (
            field.follow,
            field.once,
            [each.text for each in field.links.allow],
            [each.text for each in field.links.deny],
            field.links.same,
            field.links.bounds,
        )
        for name, field in made.items()
        if field.links is not None
    }
    assert chosen == {
        "list.pages": ("list", "run", [], [], "any", LinkBounds(pages=5)),
        "list.site": ("list", "run", [], ["/login"], "host", LinkBounds(depth=2)),
        "list.shop": ("list", "locator", ["a", "b"], [], "domain", LinkBounds()),
    }
    assert str(made["list.pages"].read_at) == f"{tmp_path}/defs.yml:6:30"
    assert [task.outputs for task in outcome.definitions.task_groups["list"].tasks[1:]] == [()] * 3


def test_next_may_be_a_selector_alone(tmp_path: Path) -> None:
    outcome = checked(tmp_path, LINKS.replace('{ select: "a.next @href", max: 5 }', "a.next @href"))
    field = outcome.definitions.record_defs["list.pages"].fields[0]
    assert (outcome.found, field.follow, field.links) == ([], "list", None)


def test_one_output_with_options_needs_no_list(tmp_path: Path) -> None:
    one = checked(
        tmp_path, SHORT.replace("output: books.csv", "output: { to: 'sqlite:b.db#books', stream: true }")
    )
    assert one.found == []
    books, _ = one.definitions.task_groups["list"].tasks
    assert [(each.to, each.stream) for each in books.outputs] == [("sqlite:b.db#books", True)]


def test_values_stand_beside_the_address_in_a_list_of_locators_too(tmp_path: Path) -> None:
    text = SHORT.replace("[ /a.html, /b.html ]", '[ { name: "p%{n}", url: "/%{n}.html", n: 1-3 }, /b.html ]')
    outcome = check_in(tmp_path, {"defs.yml": text})
    assert outcome.found == []
    (group,) = outcome.definitions.locator_groups.values()
    assert [locator.url for locator in group.single_pages()] == ["/1.html", "/2.html", "/3.html", "/b.html"]


def test_one_address_is_a_locator_group(tmp_path: Path) -> None:
    outcome = checked(tmp_path, SHORT.replace("[ /a.html, /b.html ]", "/a.html"))
    (locator,) = outcome.definitions.locator_groups["list"].locators
    assert (locator.name, locator.url, str(locator.place)) == ("list", "/a.html", f"{tmp_path}/defs.yml:3:9")


def test_a_value_of_a_short_form_keeps_its_place(tmp_path: Path) -> None:
    outcome = checked(tmp_path, SHORT)
    field = outcome.definitions.record_defs["book"].fields[0]
    assert str(field.read_at) == f"{tmp_path}/defs.yml:9:50"


def test_a_malformed_short_form_is_reported_where_it_is_written(tmp_path: Path) -> None:
    outcome = checked(tmp_path, SHORT.replace("output: books.csv", "output: { csv: books }"))
    assert outcome.found[0].startswith(
        "6:37: error taskGroups.list.books.output[0]: to is missing; add `to: books.csv`"
    )
