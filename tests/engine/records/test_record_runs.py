"""Runs of records: pages in, typed rows in files out."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from scoopi import Scoopi, extract
from scoopi.model.report.run_report import RunReport

CARD = "<li class=card><a href={link}>{title}</a><b>{price}</b></li>"
DEFINITIONS = """
locatorGroups: { list: /list1.html }
taskGroups:
  list:
    cards: { dataDef: card, output: [ cards.csv, cards.jsonl ] }
    more: { follow: { select: "a.next @href", group: list } }
dataDefs:
  card:
    each: li.card
    fields:
      title: a
      price: { select: b, type: decimal }
      link: { select: "a @href", type: url }
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunReport]:
    """Runs definitions in a folder with two list pages."""
    monkeypatch.chdir(tmp_path)
    first = CARD.format(link="a.html", title="Attic", price="1,50") + CARD.format(
        link="b.html", title="B", price="-"
    )
    (tmp_path / "list1.html").write_text(f"<ul>{first}</ul><a class=next href=list2.html>next</a>")
    (tmp_path / "list2.html").write_text(CARD.format(link="c.html", title="Cellar", price="20"))

    def with_definitions(text: str = DEFINITIONS, workers: int = 0) -> RunReport:
        (tmp_path / "defs.yml").write_text(text)
        return Scoopi("defs.yml", output=tmp_path / "output", environ={}, workers=workers).run()

    return with_definitions


def lines(report: RunReport, file: str) -> list[str]:
    """The lines of a file, sorted."""
    return sorted((Path(report.folder) / file).read_text().splitlines())


def test_a_list_over_two_pages_becomes_typed_rows(run: Callable[..., RunReport]) -> None:
    report = run()
    assert (report.errors, report.pages) == ((), 2)
    assert lines(report, "cards.csv") == [
        "Attic,1.50,/a.html",
        "B,,/b.html",
        "Cellar,20,/c.html",
        "title,price,link",
    ]
    assert lines(report, "cards.jsonl")[:2] == [
        '{"title":"Attic","price":1.50,"link":"/a.html"}',
        '{"title":"B","price":null,"link":"/b.html"}',
    ]


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ("{ price: b, links: { select: a, list: true } }", 1),
        ("{ price: b, shop: { value: Attics } }", 1),
        ("{ price: b, title: title }", 0),
        ("{ shop: { value: Attics } }", 0),
    ],
)
def test_a_page_in_which_no_field_finds_a_value_is_a_warning_that_says_what_it_holds(
    run: Callable[..., RunReport], tmp_path: Path, fields: str, warned: int
) -> None:
    text = "<title>Shop</title><script src=app.js></script><div id=root></div>"
    (tmp_path / "shell.html").write_text(text)
    report = run(
        f"""
locatorGroups: {{ list: /shell.html }}
taskGroups: {{ list: {{ card: {{ dataDef: card }} }} }}
dataDefs: {{ card: {{ fields: {fields} }} }}
"""
    )
    assert report.rows == {"card.jsonl": 1}
    causes = ["the body holds scripts and an empty div: the site renders in the browser"]
    assert [each.cause for each in report.warnings] == causes * warned


def test_without_output_records_go_to_a_file_of_the_name_of_their_definition(
    run: Callable[..., RunReport],
) -> None:
    report = run(DEFINITIONS.replace(", output: [ cards.csv, cards.jsonl ]", ""))
    assert report.rows == {"card.jsonl": 3}


DETAILS = """
locatorGroups: { list: [ /list1.html, /list2.html ] }
taskGroups:
  list:
    cards: { dataDef: card, output: none }
    more: { follow: { select: "a.next @href", group: list } }
  detail:
    specs: { dataDef: spec, output: specs.csv }
dataDefs:
  card:
    each: li.card
    fields: { title: a, link: { select: "a @href", type: url, follow: detail } }
  spec:
    fields: { title: { parent: title }, upc: i }
"""


def write_details(folder: Path) -> None:
    """A page for each card; both lists show a card of the same page."""
    for name in "abc":
        (folder / f"{name}.html").write_text(f"<i>{name.upper()}1</i>")
    cards = CARD.format(link="c.html", title="Cellar", price="1") + CARD.format(
        link="a.html", title="Loft", price="2"
    )
    (folder / "list2.html").write_text(cards)


def test_details_carry_fields_of_their_card_once_per_distinct_set_of_values(
    run: Callable[..., RunReport], tmp_path: Path
) -> None:
    write_details(tmp_path)
    report = run(DETAILS)
    assert lines(report, "specs.csv") == ["Attic,A1", "B,B1", "Cellar,C1", "Loft,A1", "title,upc"]
    assert report.pages == 2 + 4, "a list that is a locator and linked to is read once"


def test_details_that_carry_nothing_are_read_once_per_run(
    run: Callable[..., RunReport], tmp_path: Path
) -> None:
    write_details(tmp_path)
    report = run(DETAILS.replace("title: { parent: title }, ", ""))
    assert lines(report, "specs.csv") == ["A1", "B1", "C1", "upc"]


def test_once_decides_how_often_a_page_is_read(run: Callable[..., RunReport], tmp_path: Path) -> None:
    write_details(tmp_path)
    bare = DETAILS.replace("title: { parent: title }, ", "")
    for once, count in (("run", 3), ("locator", 4), ("false", 4)):
        report = run(bare.replace("follow: detail", f"follow: detail, once: {once}"))
        assert report.rows == {"specs.csv": count}, once


def test_links_of_a_local_page_in_a_folder_are_joined_to_it_once(
    run: Callable[..., RunReport], tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    write_details(tmp_path)
    for page in tmp_path.glob("*.html"):
        page.rename(tmp_path / "pages" / page.name)
    report = run(DETAILS.replace("/list", "pages/list"))
    assert lines(report, "specs.csv") == ["Attic,A1", "B,B1", "Cellar,C1", "Loft,A1", "title,upc"]


def test_the_report_shows_what_each_field_found_with_an_example_and_its_line(
    run: Callable[..., RunReport],
) -> None:
    fields = "type: decimal }\n      none: i\n      size: { label: Size }"
    report = run(DEFINITIONS.replace("type: decimal }", fields))
    price = next(each for each in report.fields if each.field == "price")
    assert (price.filled, price.missing, price.unreadable) == (2, 0, 1)
    assert price.example == "'-' holds no number"
    assert price.at.endswith("defs.yml:12:24")
    none, size = report.empty
    assert none.startswith("none of card: its selector finds nothing in 3 records of 2 pages")
    assert size.startswith("size of card: no label 'Size' has a value in 3 records of 2 pages")
    written = msgspec.json.decode((Path(report.folder) / "run.json").read_bytes())
    assert [each["field"] for each in written["fields"]] == ["title", "price", "none", "size", "link", "link"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("each: li.card", "each: li.cart", "dataDef card: `each` 'li.cart' finds nothing on 2 pages"),
        (
            "title: a",
            "title: { select: u, required: true }",
            "dataDef card: all 3 elements on 2 pages were rejected",
        ),
        (
            "select: b, type: decimal",
            "select: a, type: boolean",
            "price of card: no value is readable as boolean",
        ),
    ],
)
def test_empty_says_whether_each_the_selector_or_the_type_failed(
    run: Callable[..., RunReport], old: str, new: str, sentence: str
) -> None:
    assert run(DEFINITIONS.replace(old, new)).empty[0].startswith(sentence)


def test_a_program_gets_the_records_of_a_run_and_of_a_page(
    run: Callable[..., RunReport], tmp_path: Path
) -> None:
    report = run()
    first = next(each for each in report.records("cards.jsonl") if each["title"] == "Attic")
    assert first == {"title": "Attic", "price": Decimal("1.50"), "link": "/a.html"}
    page = (tmp_path / "list1.html").read_bytes()
    records = extract("defs.yml", page, "https://shop.example/list1.html", group="list")
    assert records[0] == {"title": "Attic", "price": Decimal("1.50"), "link": "https://shop.example/a.html"}


def test_links_of_pages_in_folders_are_relative_to_their_page(
    run: Callable[..., RunReport], tmp_path: Path
) -> None:
    (tmp_path / "lists").mkdir()
    for page in tmp_path.glob("list*.html"):
        page.rename(tmp_path / "lists" / page.name)
    report = run(DEFINITIONS.replace("/list1.html", "lists/list1.html"))
    assert (report.errors, report.pages) == ((), 2)


def test_the_only_element_that_was_rejected_is_one(run: Callable[..., RunReport], tmp_path: Path) -> None:
    (tmp_path / "list1.html").write_text(CARD.format(link="a.html", title="Attic", price="-"))
    strict = DEFINITIONS.replace("type: decimal", "type: decimal, required: true")

    (sentence, *_) = run(strict).empty

    assert sentence.startswith("dataDef card: the only element on 1 page was rejected for the field price (")
