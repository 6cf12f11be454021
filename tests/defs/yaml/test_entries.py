"""Listings of very many tables: kept packed, read as they were written."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from scoopi.defs.locators.locator_checker import are_pages
from scoopi.defs.yaml import source_files
from scoopi.defs.yaml.entries import A_PART, Entries, FlatTable
from scoopi.defs.yaml.node import Listing, Node, Table, Text, is_same
from scoopi.model.place import Place
from tests.defs.written import DATA, TASKS, Check

MANY = 2 * A_PART + 50


def place(line: int, column: int) -> Place:
    return Place("f.yml", line, column)


def locator(number: int) -> Table:
    texts = {"name": f"n{number}", "url": f"/é{number}.html"}
    entries = {name: Text(text, place(number, 9 + at)) for at, (name, text) in enumerate(texts.items())}
    return Table({**entries}, {"name": place(number, 5), "url": place(number, 70_000)}, place(number, 3))


def nested(number: int) -> Table:
    return Table({"inner": locator(number)}, {"inner": place(number, 4)}, place(number, 2))


def without_value(number: int) -> Table:
    return Table({"name": Text("", place(number, 6), True)}, {"name": place(number, 5)}, place(number, 3))


def places(node: Node) -> list[Place]:
    if isinstance(node, Text):
        return [node.place]
    inner = node.entries if isinstance(node, Listing) else node.entries.values()
    keys = [] if isinstance(node, Listing) else [*node.keys.values()]
    return [node.place, *keys, *(each for entry in inner for each in places(entry))]


@pytest.mark.parametrize("odd", [None, nested, without_value, lambda number: Text("x", place(number, 1))])
def test_a_long_listing_gives_back_what_was_put_with_its_places(odd: Callable[[int], Node] | None) -> None:
    nodes: list[Node] = [locator(number) for number in range(MANY)]
    if odd is not None:
        nodes[A_PART // 2] = odd(A_PART // 2)
    entries = Entries("f.yml")
    for node in nodes:
        entries.append(node)
    assert len(entries) == MANY
    given = [*entries]
    assert any(isinstance(each, FlatTable) for each in given)
    assert all(map(is_same, given, nodes))
    assert [*map(places, given)] == [*map(places, nodes)]


def test_a_flat_table_shows_texts_and_places_as_the_table_does() -> None:
    entries, table = Entries("f.yml"), locator(0)
    for number in range(A_PART + 1):
        entries.append(locator(number))
    flat = next(iter(entries))
    assert isinstance(flat, FlatTable)
    for name in ("name", "url", "nothing"):
        assert (flat.text(name), flat.at(name)) == (table.text(name), table.at(name))
    assert not hasattr(flat, "nothing")


def definitions_of(lines: list[str]) -> str:
    written = "".join(f"      - {line}\n" for line in lines)
    return f"locatorGroups:\n  city:\n    locators:\n{written}" + TASKS + DATA


def test_a_fault_among_very_many_locators_is_reported_where_it_is(check: Check) -> None:
    lines = [f"{{ name: n{number}, url: /p{number}.html }}" for number in range(MANY)]
    lines[10] = lines[MANY - 5]
    lines[30] = '{ name: "", url: /a.html }'
    lines[A_PART + 20] = "{ name: x, uri: /b.html }"
    lines[A_PART + 30] = "[ x ]"
    lines[A_PART + 31] = lines[A_PART + 32] = "{ url: /c.html, name: x }"
    found = check({"defs.yml": definitions_of(lines)}).found
    key = "error locatorGroups.city.locators"
    assert [line.partition(";")[0].partition(" (see")[0] for line in found] == [
        f"34:17: {key}[30].name: name is blank",
        f"{A_PART + 24}:20: {key}[{A_PART + 20}]: unknown key uri",
        f"{A_PART + 34}:9: {key}[{A_PART + 30}]: locators[{A_PART + 30}] must be a mapping, not a list",
        f"{A_PART + 36}:9: {key}[{A_PART + 32}]: this entry of locators occurs twice",
        f"{MANY - 1}:9: {key}[{MANY - 5}]: this entry of locators occurs twice",
    ]


def test_reading_many_locators_takes_little_more_memory_than_their_text(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As nodes they took 1,000 bytes each, beside the text."""
    monkeypatch.setattr(source_files, "LARGEST_BYTES", 1_000_000)  # so much is reserved before it is read
    text = definitions_of([f"{{ name: n{number}, url: /p{number}.html }}" for number in range(10_000)])
    check({"defs.yml": definitions_of(["{ name: oslo, url: http://h/o }"])})  # imports take memory too
    tracemalloc.start()
    try:
        outcome = check({"defs.yml": text})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert outcome.found == []
    assert peak < 5 * len(text) + 1_000_000


@pytest.mark.parametrize("at", [3, MANY - 1])
@pytest.mark.parametrize(
    ("odd", "expected"), [(locator, False), (nested, True), (without_value, True), (None, True)]
)
def test_a_list_is_plain_pages_only_if_no_entry_may_need_a_check(
    at: int, odd: Callable[[int], Node] | None, expected: bool
) -> None:
    entries = Entries("f.yml")
    template = Table({"url": Text("/%{n}", place(1, 9))}, {"url": place(1, 5)}, place(1, 3))
    for number in range(MANY):
        entries.append(locator(number) if number != at else template if odd is None else odd(number))
    assert entries.may_hold("%{") is expected
    assert are_pages(entries) is not expected


def test_the_line_of_a_locator_is_not_taken_for_a_placeholder() -> None:
    """The bytes of 9595 = 0x257B are `%{`."""
    entries = Entries("f.yml")
    for number in range(9595, 9595 + MANY):
        entries.append(locator(number))
    assert not entries.may_hold("%{")
