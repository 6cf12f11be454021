"""The keys of the settings: hours as ten digits, and what a cancel affects."""

from __future__ import annotations

import pytest

from tests.defs.schedule.project import Project


def sentences(project: Project, settings: str) -> list[str]:
    """What is found in settings, without that trees and flows are yet to come."""
    text = f"settings: {settings}\nprocesses: {{ p: {{ executes: external:x }} }}\n"
    report = project.write(jobs=text).read()[1]
    return [f"{each.place.line}:{each.place.column} {each.sentence()}" for each in report.errors]


@pytest.mark.parametrize("text", ['"2026010106"', '"2026-01-01T06:00:00Z"', '"2026-01-01T07:00:00+01:00"'])
def test_a_time_is_an_instant_or_an_hour_of_ten_digits(project: Project, text: str) -> None:
    assert sentences(project, f"{{ history_start: {text} }}") == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2026010106", 'is 2026010106, which YAML reads as a number; put it in quotes: "2026010106"'),
        ('"2026019906"', "is '2026019906', which is not an hour"),
        ('"2026"', "an instant of RFC 3339, or an hour of ten digits in quotes"),
    ],
)
def test_what_is_no_time_is_named_with_its_place(project: Project, text: str, sentence: str) -> None:
    (found,) = sentences(project, f"{{ history_start: {text} }}")
    assert found.startswith("1:")
    assert sentence in found


def test_branches_cannot_be_left_out_of_a_cancel(project: Project) -> None:
    assert sentences(project, "{ cancel: { cascade: { branches: true } } }") == []
    (found,) = sentences(project, "{ cancel: { cascade: { branches: false } } }")
    assert "branches is false" in found
