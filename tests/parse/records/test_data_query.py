"""compile_data, compile_items: what JMESPath finds in the value of a record."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import ParseError
from scoopi.parse.records.data_query import compile_data, compile_items

BOOK = {"name": "Attic", "tags": ["a", "b"], "none": None, "empty": [], "no": False, "zero": 0}


@pytest.mark.parametrize(
    ("expressions", "is_list", "found"),
    [
        (["name"], False, ("Attic",)),
        (["gone", "none", "empty", "name"], False, ("Attic",)),
        (["tags"], True, ["a", "b"]),
        (["tags"], False, (["a", "b"],)),
        (["name"], True, ("Attic",)),
        (["no"], False, (False,)),
        (["zero"], False, (0,)),
        (["gone"], True, ()),
    ],
)
def test_the_first_expression_that_gives_anything_counts(
    expressions: list[str], is_list: bool, found: Any
) -> None:
    assert compile_data(expressions, is_list=is_list)(BOOK) == found


def test_in_a_list_each_item_is_asked_in_turn() -> None:
    assert compile_data(["name"], is_list=False)([{"x": 1}, BOOK, {"name": "B"}]) == ("Attic",)
    assert compile_data(["name"], is_list=False)([]) == ()


@pytest.mark.parametrize(
    ("expression", "found"), [("tags", ["a", "b"]), ("name", ("Attic",)), ("gone", ()), ("empty", [])]
)
def test_the_records_are_the_items_of_a_list_or_the_value_itself(expression: str, found: Any) -> None:
    assert compile_items(expression)(BOOK) == found


def test_a_wrong_expression_is_named_when_it_is_compiled() -> None:
    with pytest.raises(ParseError, match=r"the JMESPath 'a\[' is wrong") as raised:
        compile_items("a[")
    assert raised.value.hint
    with pytest.raises(ParseError, match=r"the JMESPath 'a\[' is wrong"):
        compile_data(["name", "a["], is_list=False)


def test_an_expression_that_does_not_fit_the_value_fails_with_its_text() -> None:
    with pytest.raises(ParseError, match=r"the JMESPath 'sum\(name\)' failed"):
        compile_items("sum(name)")(BOOK)
