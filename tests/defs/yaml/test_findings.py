"""Findings: each error and warning once, in the order of the files, credentials hidden."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.findings import MOST_KEPT, Finding, Findings, Severity
from scoopi.model.place import NOWHERE, Place

HERE = Place("a.yml", 2, 3)


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (Finding(Severity.ERROR, HERE, "", "wrong"), "wrong"),
        (Finding(Severity.ERROR, HERE, "a.b", "wrong", "do this"), "a.b: wrong; do this"),
        (
            Finding(Severity.ERROR, HERE, "a", "wrong", "do this", "right"),
            "a: wrong; did you mean right?",
        ),
        (
            Finding(Severity.WARNING, HERE, "a", "twice", "drop one", also=Place("b.yml", 7)),
            "a: twice (see b.yml:7); drop one",
        ),
    ],
)
def test_a_sentence_has_what_is_wrong_the_other_place_and_one_hint(finding: Finding, sentence: str) -> None:
    assert finding.sentence() == sentence


def test_the_same_fault_of_one_place_is_found_once() -> None:
    findings = Findings()
    findings.error(HERE, "a", "wrong")
    findings.error(HERE, "b", "wrong")
    findings.error(HERE, "a", "wrong too")
    assert [each.what for each in findings.sorted()] == ["wrong", "wrong too"]


def test_without_a_line_faults_differ_by_their_key() -> None:
    findings = Findings()
    for key in ("a", "b", "a"):
        findings.error(Place("a.yml"), key, "wrong")
    assert [each.key for each in findings.sorted()] == ["a", "b"]


def test_findings_are_sorted_by_file_line_and_column() -> None:
    findings = Findings()
    places = [Place("b.yml", 1, 1), Place("a.yml", 10, 1), Place("a.yml", 2, 9), Place("a.yml", 2, 1)]
    for place in places:
        findings.error(place, "", "wrong")
    assert [each.place for each in findings.sorted()] == [*reversed(places)]


def test_a_warning_breaks_nothing_unless_warnings_are_errors() -> None:
    lenient, strict = Findings(), Findings(strict=True)
    for findings in (lenient, strict):
        findings.warning(HERE, "a", "odd")
    assert (lenient.is_broken, lenient.has_errors) == (False, False)
    assert strict.has_errors
    assert [each.severity for each in strict.sorted()] == [Severity.ERROR]


def test_an_error_breaks_them() -> None:
    findings = Findings()
    findings.error(HERE, "a", "wrong")
    assert (findings.is_broken, findings.has_errors) == (True, True)


def test_further_findings_of_a_severity_are_counted_once_each() -> None:
    findings = Findings()
    for number in range(MOST_KEPT + 3):
        assert findings.is_full == (number >= MOST_KEPT)
        findings.error(Place("a.yml", number + 1), "", "wrong")
    findings.error(Place("a.yml", MOST_KEPT + 1), "", "wrong")
    findings.warning(HERE, "", "odd")
    assert len(findings.sorted()) == MOST_KEPT + 1
    assert findings.left_out == {"error": 3}


@pytest.mark.parametrize(("line", "excerpt"), [(1, "first"), (2, "second"), (3, ""), (0, "")])
def test_an_excerpt_is_the_line_of_the_place(line: int, excerpt: str) -> None:
    findings = Findings()
    findings.add_source("a.yml", "first\nsecond\n")
    findings.error(Place("a.yml", line, 1), "", "wrong")
    (finding,) = findings.sorted()
    assert (finding.line, finding.also) == (excerpt, NOWHERE)


def test_credentials_are_hidden_in_excerpts_also_where_one_holds_another() -> None:
    findings = Findings()
    findings.add_source("a.yml", "login: { user: sam, password: samson }")
    for secret in ("sam", "samson"):
        findings.hide(secret)
    findings.error(Place("a.yml", 1, 1), "", "wrong")
    assert findings.sorted()[0].line == "login: { user: ***, password: *** }"
