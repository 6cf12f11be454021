"""Checkers: what they find is reported at its place, and a text that is a credential is not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.defs.locators.row_file import RowFile
from scoopi.defs.locators.row_source import RowSource
from scoopi.defs.scrape.checkers import Checkers, Fault, file_rows, report_fault
from scoopi.defs.yaml.findings import Findings
from scoopi.model.place import Place
from tests.defs.written import DATA, PLACES, TASKS, Check

AT = Place("defs.yml", 2, 55)


def of_host(text: str) -> Fault | None:
    return Fault("the host is closed", "ask another one") if "//h/" in text else None


def test_what_a_check_finds_is_an_error_at_the_text_with_its_hint(check: Check) -> None:
    outcome = check(PLACES + TASKS + DATA, checkers=Checkers(url=of_host))
    (found,) = outcome.found
    assert found.startswith("2:")
    assert "error locatorGroups.city.locators[0].url: the host is closed; ask another one" in found
    assert check(PLACES + TASKS + DATA, checkers=Checkers()).found == []


def test_a_text_that_is_a_credential_is_hidden_in_the_line_that_is_quoted(check: Check) -> None:
    given = PLACES.replace("http://h/o", "http://h/?t=S3cr3t") + TASKS + DATA
    token = "sites: { h: { headers: { Authorization: Bearer S3cr3t } } }\n"
    shown = check(given, checkers=Checkers(url=of_host)).report.text()
    hidden = check(given + token, checkers=Checkers(url=of_host)).report.text()
    assert "S3cr3t" in shown
    assert "contains a credential in plain text" in hidden
    assert "Bearer S3cr3t" not in hidden


def test_a_text_without_a_fault_is_not_reported() -> None:
    findings = Findings()
    report_fault(findings, None, "text", "key", AT)
    assert not findings.is_broken
    report_fault(findings, Fault("wrong"), "text", "key", AT)
    assert findings.is_broken


def test_rows_of_a_file_are_found_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shops.csv").write_text("name\nOats\n")
    monkeypatch.chdir(tmp_path)
    found = file_rows(RowSource(file="shops.csv"))
    assert isinstance(found, RowFile)
    assert found.columns() == ("name",)
