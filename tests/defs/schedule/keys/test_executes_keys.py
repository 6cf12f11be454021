"""The keys of what a process executes, in a word or in a mapping."""

from __future__ import annotations

import pytest

from tests.defs.schedule.project import Project


@pytest.mark.parametrize("kind", ["python:actions:load", "external:press", "scrape:books"])
def test_what_is_executed_may_be_one_word(project: Project, kind: str) -> None:
    name, _, what = kind.partition(":")
    word, mapping = project.process(f"executes: {kind}"), project.process(f"executes: {{ {name}: '{what}' }}")
    assert word.executes == mapping.executes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("press", "is 'press'; write KIND:WHAT; KIND is one of"),
        ("pyhton:actions:load", "did you mean python:actions:load?"),
        ("extern", "did you mean external:WHAT?"),
    ],
)
def test_a_kind_that_there_is_not_is_named_with_the_nearest_one(
    project: Project, text: str, sentence: str
) -> None:
    found = project.finding(f"executes: {text}")
    assert sentence in found.sentence()
    assert found.place.line == 5


def test_a_kind_of_a_later_version_says_so(project: Project) -> None:
    assert "flow is not supported by this version" in project.finding("executes: flow:books").sentence()
