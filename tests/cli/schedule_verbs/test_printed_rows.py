"""Rows of the scheduler are printed as a table, with a field a line, or as JSON."""

from __future__ import annotations

import io
from argparse import Namespace
from typing import Any

import pytest

from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows, print_with_changes
from scoopi.cli.terminal import Terminal

ROWS: list[dict[str, Any]] = [{"job": "a/!1", "run_as": None}, {"job": "bb/!1", "run_as": ["x", "y"]}]


def printed(print_: Any, what: Any, *more: Any, json: bool = False) -> str:
    out = io.StringIO()
    print_(Terminal(out, io.StringIO(), {}), what, Namespace(json=json), *more)
    return out.getvalue()


def test_a_table_has_a_head_and_columns_of_one_width() -> None:
    assert printed(print_rows, ROWS) == "job    run as\na/!1   -\nbb/!1  x; y\n"


def test_one_column_has_no_head() -> None:
    assert printed(print_rows, ROWS, ("job",)) == "a/!1\nbb/!1\n"


def test_no_rows_are_no_lines() -> None:
    assert printed(print_rows, []) == ""


def test_json_is_an_object_a_line_with_all_fields() -> None:
    assert printed(print_rows, ROWS, ("job",), json=True) == (
        '{"job":"a/!1","run_as":null}\n{"job":"bb/!1","run_as":["x","y"]}\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (False, "no"),
        (None, "-"),
        ([], "-"),
        ({}, "-"),
        ({"a": 1, "b": 2}, "a=1, b=2"),
        (7, "7"),
    ],
)
def test_values_are_texts_for_people(value: object, text: str) -> None:
    assert printed(print_fields, {"run_as": "x", "a": value}) == f"run as  x\na       {text}\n"


def test_changes_follow_the_fields_as_a_table() -> None:
    row = {"job": "a/!1", "changes": [{"at": "now", "by": "ann"}]}
    assert printed(print_with_changes, {**row}) == "job  a/!1\n\nat   by\nnow  ann\n"
    assert printed(print_with_changes, {**row}, json=True) == (
        '{"job":"a/!1","changes":[{"at":"now","by":"ann"}]}\n'
    )
