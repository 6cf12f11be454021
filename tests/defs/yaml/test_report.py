"""How findings are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.defs.yaml.findings import Finding, Severity
from scoopi.defs.yaml.report import Report
from scoopi.errors import DefsError
from scoopi.model.place import Place
from tests.defs.written import DATA, PLACES, TASKS, Check

_BAD = {
    "b.yml": TASKS,
    "a.yml": PLACES.replace("http://h/o", "[ x ]"),
    "c.yml": DATA + "  spare: { query: { block: b }, itms: [ item: { name: a } ] }\n",
}


def _text(check: Check, files: dict[str, str]) -> str:
    outcome = check(files)
    folder = outcome.report.files[0].rpartition("/")[0]
    return outcome.report.text().replace(f"{folder}/", "")


def test_the_text_is_grouped_by_file_with_a_caret_under_each_column(check: Check) -> None:
    assert _text(check, _BAD) == (
        "a.yml\n"
        "  2:42     error    locatorGroups.city.locators[0].url: url must be a single value, not a list; "
        "write `url: /pages/oslo.html`\n"
        "           |   city: { locators: [ { name: oslo, url: [ x ] } ] }\n"
        "           |                                          ^\n"
        "c.yml\n"
        "  5:33     error    dataDefs.spare: unknown key itms; did you mean items?\n"
        "           |   spare: { query: { block: b }, itms: [ item: { name: a } ] }\n"
        "           |                                 ^\n"
        "2 errors in 3 files"
    )


def test_the_last_line_counts(check: Check) -> None:
    spare = "  spare: { query: { block: b }, items: [ item: { name: a } ] }\n"
    assert _text(check, {"a.yml": PLACES + TASKS + DATA}) == "1 file, nothing wrong"
    assert _text(check, {"a.yml": PLACES + TASKS + DATA + spare}).endswith("\n1 warning in 1 file")
    twice = DATA + "    items: [ item: { name: x } ]\n" + spare + spare
    assert _text(check, {"a.yml": PLACES + TASKS + twice}).endswith("\n1 error and 1 warning in 1 file")


def test_of_very_many_findings_the_first_hundred_are_shown_and_all_are_counted(check: Check) -> None:
    unknown = "".join(f"key{number}: 1\n" for number in range(1000))
    report = check({"a.yml": PLACES + TASKS + DATA + unknown}).report
    assert len(report.findings) == 100
    assert report.findings[0].what == "unknown key key0"
    assert report.text().endswith("\n1000 errors in 1 file; 100 of them are shown")
    assert json.loads(report.json())["errors"] == 1000


def test_where_no_file_was_found_none_is_counted(tmp_path: Path) -> None:
    _, report = read_definitions(tmp_path)
    assert report.text().endswith("put a .yml file there\n1 error")


def test_a_long_line_is_shown_round_its_column(check: Check) -> None:
    text = PLACES + TASKS + DATA.replace("th }", f"{'t' * 300}, indx: 2, value: {'v' * 300} }}")
    excerpt, caret = _text(check, {"a.yml": text}).splitlines()[2:4]
    assert excerpt[caret.index("^") :].startswith("indx: 2")
    assert len(excerpt) < 120


def test_the_json_holds_every_part_of_a_finding(check: Check) -> None:
    files = {"a.yml": PLACES + TASKS + DATA, "b.yml": DATA.replace("hour", "x")}
    report = check(files).report
    reported = json.loads(report.json())
    assert (reported["files"], reported["errors"], reported["warnings"]) == (list(report.files), 1, 0)
    assert reported["findings"] == [
        {
            "severity": "error",
            "file": report.files[1],
            "line": 2,
            "column": 3,
            "key": "dataDefs.temps",
            "what": "temps is defined in two files, differently",
            "hint": "keep one, or rename one",
            "didYouMean": "",
            "also": {"file": report.files[0], "line": 6, "column": 3},
        }
    ]


def test_errors_are_raised_as_one_with_the_text_of_the_report() -> None:
    finding = Finding(Severity.ERROR, Place("f", 1, 2), "a.b", "it is wrong", "fix it")
    report = Report((finding,), ("f",))
    with pytest.raises(DefsError) as raised:
        report.raise_if_errors()
    assert (
        str(raised.value)
        == report.text()
        == ("f\n  1:2      error    a.b: it is wrong; fix it\n1 error in 1 file")
    )


def test_warnings_raise_nothing() -> None:
    Report((Finding(Severity.WARNING, Place("f", 1, 2), "a", "odd"),), ("f",)).raise_if_errors()


def test_as_lines_each_finding_is_an_object_in_the_order_of_its_keys() -> None:
    near = Finding(Severity.ERROR, Place("a.yml", 3, 5), "p.x", "unknown key x", "remove it", "y")
    lone = Finding(Severity.WARNING, Place("a.yml"), "", "no pages", "add one")
    rows = [json.loads(line) for line in Report((near, lone)).lines().splitlines()]
    assert [[*row.values()] for row in rows] == [
        ["a.yml", 3, 5, "p.x", "unknown key x", "did you mean y?", "error"],
        ["a.yml", 0, 0, "", "no pages", "add one", "warning"],
    ]
    assert [*rows[0]] == ["file", "line", "column", "key", "message", "hint", "severity"]
    assert Report().lines() == ""
