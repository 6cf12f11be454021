"""`scoopi parse` and `scoopi show` as a command line runs them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scoopi.cli.main import main
from tests.server.server import Server

DEFINITIONS = """\
locatorGroups: { list: list.html }
taskGroups: { list: { cards: { dataDef: card, output: cards.csv } } }
dataDefs:
  card:
    each: li
    fields:
      title: { select: a, required: true }
      price: { select: b, type: price }
      year: "p.date > i"
"""
PAGE = "<li><a>Attic</a><b>£5</b><p class=date></li><li>ad</li><li><a>B</a><b>ask</b></li>"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("defs.yml").write_text(DEFINITIONS)
    Path("list.html").write_text(PAGE)


def test_a_file_is_shown_as_a_table_with_what_each_field_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "defs.yml", "list.html"]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:3] == [
        "card: 2 records, 1 rejected",
        "title  price  price_currency  year",
        "Attic  5      £",
    ]
    assert "rejected: the required field title is missing (defs.yml:7:24)" in lines
    assert "price  2                 1" in lines
    assert "year: 'p.date > i' finds nothing; 'p.date' matches 1 element (defs.yml:9:13)" in lines


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<dl><dt>Weight<dd>2 kg</dl>", "did you mean 'Weight'?"),
        ("<dl><dt>Colour<dd>red<dt>EAN<dd>1</dl>", "the page has 'Colour', 'EAN'"),
        ("<p>Weight", "the page has no labels"),
    ],
)
def test_a_label_without_a_value_is_shown_with_what_the_page_has(
    capsys: pytest.CaptureFixture[str], page: str, found: str
) -> None:
    Path("list.html").write_text(page)
    Path("defs.yml").write_text(
        DEFINITIONS.replace("    each: li\n", "")
        .replace("price: {", "size: { label: Wieght }\n      price: {")
        .replace("title: { select: a, required: true }", "title: a")
    )
    assert main(["parse", "defs.yml", "list.html"]) == 0
    assert f"size: no label 'Wieght' has a value; {found} (defs.yml:7:7)" in capsys.readouterr().out


def test_json_has_the_records_and_the_fields(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "defs.yml", "list.html", "--def", "card", "--json"]) == 0
    (found,) = msgspec.json.decode(capsys.readouterr().out)
    assert found["records"][0] == {"title": "Attic", "price": "5", "price_currency": "£", "year": None}
    assert [each["field"] for each in found["fields"]] == ["title", "price", "year"]


def test_a_page_is_read_from_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    with Server(lambda path: PAGE.encode() if path == "/list.html" else None) as server:
        assert main(["parse", "defs.yml", server.url("/list.html")]) == 0

    assert capsys.readouterr().out.startswith("card: 2 records, 1 rejected\n")


def test_an_unknown_group_or_definition_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "defs.yml", "list.html", "--group", "lits"]) == 2
    assert "did you mean list?" in capsys.readouterr().err
    assert main(["parse", "defs.yml", "list.html", "--def", "cart"]) == 2
    assert "known are card" in capsys.readouterr().err


def test_show_writes_short_forms_out_with_the_line_of_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "defs.yml", "cards"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "url: list.html # defs.yml:1" in lines
    assert "- to: cards.csv # defs.yml:2" in lines
    assert "select: [ p.date > i ] # defs.yml:9" in lines
    assert main(["show", "defs.yml", "card"]) == 2
    assert "did you mean cards?" in capsys.readouterr().err
