"""The tasks of a group read one part of a page together."""

from __future__ import annotations

from pathlib import Path

from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.parse.parts.page_part import Anchor, PagePart
from scoopi.parse.parts.page_parts import PageParts

DEFS = """
locatorGroups: { list: /a.html }
taskGroups:
  list:
    cards: { dataDef: card, output: cards.csv }
    figures: { dataDef: figures }
    more: { %s }
dataDefs:
  card: { each: .card, fields: { title: h3 } }
  figures:
    query: { block: "#t", selector: "tr:nth-child(%%{item.index}) > td" }
    items: [ item: { name: line, indexRange: 1-2, selector: "tr:nth-child(%%{index}) > th" } ]
  paths:
    query: { block: "//table", selector: "tr[%%{item.index}]/td" }
    items: [ item: { name: line, indexRange: 1-2, selector: "tr[%%{index}]/th" } ]
"""


def part(more: str, tmp_path: Path, *, is_plain: bool = False) -> PagePart | None:
    (tmp_path / "defs.yml").write_text(DEFS % more)
    definitions, report = read_definitions(tmp_path)
    assert not report.errors, report.text()
    return PageParts(definitions, is_plain=is_plain).of_group("list")


CARDS = (Anchor("c", "card", is_shallow=True), Anchor("t", "h3", is_nested=True))
FIGURES = (Anchor("i", "t", is_shallow=True), Anchor("t", "tr", is_nested=True))


def test_the_part_has_what_each_task_reads(tmp_path: Path) -> None:
    assert part('next: "a.next @href"', tmp_path) == PagePart((*CARDS, *FIGURES, Anchor("c", "next")))


def test_a_task_in_xpath_needs_the_page(tmp_path: Path) -> None:
    assert part("dataDef: paths, steps: xpath", tmp_path) is None


def test_the_plain_evaluator_gets_the_page(tmp_path: Path) -> None:
    assert part('next: "a.next @href"', tmp_path, is_plain=True) is None
