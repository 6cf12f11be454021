"""Mutants: each is one change of the code, that still parses; what no test judges is left alone."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants_of

SOURCE = '''"""A file."""
import logging

log = logging.getLogger(__name__)


def most(values: "list[int] | None" = None) -> int:
    """Counts: 3 and more."""
    assert values != [1]
    log.info("%d values", 3)
    if not values and é(values) < 7:
        values.clear()
    return 5 if values else len(values) - 1


class Pair(Struct, frozen=True):
    """Two numbers."""

    both = zip(first, second, strict=True)
'''


def mutants(tmp_path: Path) -> list[Mutant]:
    (tmp_path / "most.py").write_text(SOURCE, encoding="utf-8")
    return mutants_of(Path("most.py"), tmp_path)


def test_every_kind_of_change_is_made_once_for_its_place(tmp_path: Path) -> None:
    assert [(each.line, each.before, each.after) for each in mutants(tmp_path)] == [
        (11, "not values and é(values) < 7", "((not values) or (é(values) < 7))"),
        (11, "not values", "(values)"),
        (11, "é(values) < 7", "(é(values) <= 7)"),
        (11, "7", "8"),
        (12, "values.clear()", "pass"),
        (13, "5 if values else len(values) - 1", "(len(values) - 1 if values else 5)"),
        (13, "5", "6"),
        (13, "len(values) - 1", "((len(values)) + (1))"),
        (13, "1", "2"),
    ]


def test_each_differs_from_the_file_in_its_place_only_and_is_valid(tmp_path: Path) -> None:
    for mutant in mutants(tmp_path):
        changed = mutant.applied(SOURCE.encode()).decode()
        ast.parse(changed)
        was, now = SOURCE.splitlines(), changed.splitlines()
        assert [n for n, lines in enumerate(zip(was, now, strict=True), 1) if lines[0] != lines[1]] == [
            mutant.line
        ]


def test_a_mutant_is_named_by_its_place_and_change(tmp_path: Path) -> None:
    assert str(mutants(tmp_path)[3]) == "most.py:11: 7 -> 8"
