"""Mutants: each is one change of the code, that still parses; what no test judges is left alone."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.mutation.__main__ import summary
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


TUNED = """
VERSION = 3
FILE_FORMAT = 4
POLL_S = 0.5
_BATCH: int = 100
IS_FAST = True
SIZES = (1, 2)
LEASE_MS = 3 * 1000
least = 7


def waited() -> float:
    LIMIT = 2
    return POLL_S * LIMIT
"""


def test_a_number_that_is_the_whole_value_of_a_constant_is_a_class_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "tuned.py").write_text(TUNED, encoding="utf-8")
    found = mutants_of(Path("tuned.py"), tmp_path)
    assert [each.before for each in found if each.is_tuning] == ["0.5", "100"]
    assert {"3", "4", "True", "1", "1000", "7"} <= {each.before for each in found if not each.is_tuning}
    assert str(found[2]) == "tuned.py:4: 0.5 -> 1.5 (tuning constant)"


def test_the_result_is_given_with_and_without_tuning_constants() -> None:
    other, tuning = (
        Mutant(Path("a.py"), 1, 1, 0, 1, "1", "2"),
        Mutant(Path("a.py"), 1, 1, 0, 1, "1", "2", True),
    )
    assert summary([(other, False), (other, False), (other, True), (tuning, True)]) == (
        "2 of 4 killed (50.0%); without 1 tuning constants 2 of 3 killed (66.7%)"
    )
    assert summary([]) == "0 of 0 killed (0.0%); without 0 tuning constants 0 of 0 killed (0.0%)"
