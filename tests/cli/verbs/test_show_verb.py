"""`show` prints definitions with their short forms written out and the place of each value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

BOOKS = """\
locatorGroups: { list: { locators: [ { name: a, url: "http://h/" } ] } }
taskGroups: { list: { books: { dataDef: book }, towns: { dataDef: town } } }
dataDefs:
  book: { each: li, fields: { title: h3 } }
  town: { each: p, fields: { name: b } }
"""


@pytest.fixture
def defs(tmp_path: Path) -> Path:
    file = tmp_path / "books.yml"
    file.write_text(BOOKS)
    return file


def test_each_value_has_its_place(screen: Any, defs: Path) -> None:
    assert screen.run("show", str(defs)) == 0
    text = screen.out.getvalue()
    assert "books.yml:4" in text
    assert "town" in text
    assert screen.err.getvalue() == ""


@pytest.mark.parametrize("task", ["books", "list.books"])
def test_one_task_is_shown_with_what_it_uses(screen: Any, defs: Path, task: str) -> None:
    assert screen.run("show", str(defs), task) == 0
    text = screen.out.getvalue()
    assert "h3" in text
    assert "town" not in text


def test_an_unknown_task_is_named(screen: Any, defs: Path) -> None:
    assert screen.run("show", str(defs), "boks") == 2
    assert "boks" in screen.err.getvalue()


def test_what_cannot_be_read_is_reported(screen: Any, defs: Path) -> None:
    defs.write_text("a: [")
    assert screen.run("show", str(defs)) == 3
    assert "books.yml\n  2:1 " in screen.err.getvalue()
