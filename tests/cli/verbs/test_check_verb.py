"""`check` prints the findings of definitions, and has their exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from scoopi.model.inputs import NO_INPUTS


class Findings:
    """What the definitions' check answers with."""

    def __init__(self, errors: list[str], warnings: list[str]) -> None:
        self.errors = errors
        self.warnings = warnings

    def text(self) -> str:
        return "as text"

    def json(self) -> str:
        return '{"as": "json"}'

    def lines(self) -> str:
        return '{"as": "row"}' if self.errors else ""


@pytest.mark.parametrize(
    ("line", "findings", "code", "reported"),
    [
        ("check d", Findings([], []), 0, "as text\n"),
        ("check d", Findings([], ["w"]), 0, "as text\n"),
        ("check d --strict", Findings([], ["w"]), 3, "as text\n"),
        ("check d --format json", Findings(["e"], []), 3, '{"as": "json"}\n'),
        ("check d --json", Findings(["e"], []), 3, '{"as": "row"}\n'),
    ],
)
def test_check_gives_the_report_on_stdout(
    screen: Any, stand_in: Any, line: str, findings: Findings, code: int, reported: str
) -> None:
    stand_in.report = findings
    assert screen.run(*line.split(), "-D", "a=b", "--conf", "c.yml") == code
    assert (screen.out.getvalue(), screen.err.getvalue()) == (reported, "")
    assert stand_in.calls == [
        ("check", Path("d"), Path("c.yml"), {"a": "b"}, "--strict" in line, screen.environ, NO_INPUTS)
    ]


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["a", "b"], "a: as text\nb: as text\n"),
        (["a", "b", "--format", "json"], '[{"as": "json"},\n{"as": "json"}]\n'),
    ],
)
def test_check_takes_several_definitions(screen: Any, stand_in: Any, words: list[str], reported: str) -> None:
    reports = {Path("a"): Findings([], []), Path("b"): Findings(["e"], [])}
    sys.modules["scoopi.app"].check = lambda defs, *_: reports[defs]  # type: ignore[attr-defined]
    assert screen.run("check", *words) == 3, "one of them is wrong"
    assert screen.out.getvalue() == reported
