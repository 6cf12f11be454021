"""Examples in docstrings give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.docs.markdown import ROOT


def modules_with_examples() -> list[str]:
    """Dotted names of the modules of `scoopi` that hold a `>>>`."""
    paths = (path for path in (ROOT / "scoopi").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
    return sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths)


@pytest.mark.parametrize("module", modules_with_examples())
def test_the_examples_of_a_module_give_what_they_show(module: str) -> None:
    results = doctest.testmod(import_module(module), report=True)

    assert results.attempted > 0
    assert results.failed == 0


def test_ten_docstrings_have_an_example() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [
        test for name in modules_with_examples() for test in finder.find(import_module(name)) if test.examples
    ]

    assert len(found) >= 10
