"""Rows whose page can have no address: where they are reported, and when they are an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.app import check
from scoopi.defs.locators.row_checker import MOST_WRONG

DEFINITIONS = """\
locatorGroups: {{ city: {{ from: {source} }} }}
taskGroups: {{ city: {{ temps: {{ dataDef: temps }} }} }}
dataDefs: {{ temps: {{ fields: {{ name: h1 }} }} }}
"""


def reported(folder: Path, source: str, rows: str = "", name: str = "") -> list[str]:
    if name:
        (folder / name).write_text(rows)
    (folder / "defs.yml").write_text(DEFINITIONS.format(source=source))
    findings = check(folder / "defs.yml", environ={}).findings
    return [f"{each.place}: {each.severity} {each.sentence()}".replace(f"{folder}/", "") for each in findings]


@pytest.mark.parametrize(
    ("name", "source", "rows", "line"),
    [
        ("p.txt", "p.txt", "# cities\nhttp://a.example/\n\nhttp://\n", 4),
        ("p.csv", "p.csv", 'n,url\n"1\n2",http://a.example/\n3,http://\n', 4),
        ("p.jsonl", "p.jsonl", '{"url": "http://a.example/"}\n{"url": "http://"}\n', 2),
        ("p.csv", 'p.csv, url: "http://%{host}/"', "host\na.example\n\na b\n", 4),
        ("p.csv", 'p.csv, url: "http://%{host}:%{port}/", port: 8-9', "host\na.example\na b\n", 3),
    ],
)
def test_a_wrong_address_is_a_warning_at_the_line_of_its_row(
    tmp_path: Path, name: str, source: str, rows: str, line: int
) -> None:
    (finding,) = reported(tmp_path, source, rows, name)
    assert finding.startswith(f"{name}:{line}:1: warning locatorGroups.city.from: http://")
    assert "(see defs.yml:1:" in finding
    assert finding.endswith("; write http://host/path")


def test_a_row_without_an_address_is_reported(tmp_path: Path) -> None:
    (finding,) = reported(tmp_path, "p.csv", "n,url\n1,http://a.example/\n2,\n", "p.csv")
    assert finding.startswith("p.csv:3:1: warning locatorGroups.city.from: the row: the address is empty")


def test_rows_of_which_none_has_an_address_are_errors_and_only_some_are_listed(tmp_path: Path) -> None:
    rows = "url\n" + "mailto:a@b\n" * 1000
    findings = reported(tmp_path, "p.csv", rows, "p.csv")
    assert len(findings) == MOST_WRONG
    assert all(": error locatorGroups.city.from: mailto:a@b: pages cannot be" in each for each in findings)
    assert ["further rows" in each for each in findings] == [False] * (MOST_WRONG - 1) + [True]
    assert "(and 990 further rows)" in findings[-1]


def test_a_wrong_address_far_below_is_found(tmp_path: Path) -> None:
    rows = "".join(f"http://a.example/{n}\n" for n in range(3000)) + "http://a.example:99999/\n"
    (finding,) = reported(tmp_path, "p.txt", rows, "p.txt")
    assert finding.startswith("p.txt:3001:1: warning locatorGroups.city.from: http://a.example:99999/: port")


def test_a_row_of_a_query_is_reported_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    query = "select 'http://a.example/' as url union all select 'http://'"
    (finding,) = reported(tmp_path, f'{{ database: "sqlite:a.db", query: "{query}" }}', "", "a.db")
    assert finding.startswith("defs.yml:1:")
    assert ": warning locatorGroups.city.from: row 2 of the query: http://: the address has" in finding
    assert "see " not in finding


def test_a_line_that_is_not_json_is_reported_with_its_column(tmp_path: Path) -> None:
    rows = '{"url": "http://a.example/"}\n{"url": "http://b.example/",}\n'
    (finding,) = reported(tmp_path, "p.jsonl", rows, "p.jsonl")
    assert finding.startswith("p.jsonl:2:29: error locatorGroups.city.from: this is not JSON: ")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("none.csv", "none.csv"),
        ("{ run: none, output: a.csv }", "none"),
        ('{ database: "sqlite:none.db", query: select 1 }', '"sqlite:none.db"'),
    ],
)
def test_a_source_that_is_not_there_is_an_error_at_its_name(tmp_path: Path, source: str, name: str) -> None:
    (finding,) = reported(tmp_path, source)
    column = DEFINITIONS.format(source=source).index(name) + 1
    assert finding.startswith(f"defs.yml:1:{column}: error locatorGroups.city.from: ")
