"""read_value: texts of definitions as constructors want them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest

from scoopi.plugins.parameters import camel_case, read_value, snake_case


class Colour(StrEnum):
    """A choice by value."""

    RED = "red"


@pytest.mark.parametrize(
    ("value", "wanted", "result"),
    [
        ("007", str, "007"),
        ("7", int, 7),
        ("-7", int | None, -7),
        ("0.5", float, 0.5),
        ("True", bool, True),
        ("false", bool, False),
        ("a/b", Path, Path("a/b")),
        ("1", Literal[1, 2], 1),
        ("red", Colour, Colour.RED),
        (["1", "2"], list[int], [1, 2]),
        (["1"], tuple[str, ...], ("1",)),
        (["1"], Sequence[str], ["1"]),
        (["1"], list, ["1"]),
        ({"a": "1"}, dict[str, str], {"a": "1"}),
        (["x"], list[str] | None, ["x"]),
        ("12", int | str, 12),
        ("ab", int | str, "ab"),
        ({"a": ["1"]}, Any, {"a": ["1"]}),
    ],
)
def test_a_text_is_read_as_the_annotation_wants(value: Any, wanted: Any, result: Any) -> None:
    assert read_value(value, wanted) == result
    assert type(read_value(value, wanted)) is type(result)


@pytest.mark.parametrize(
    ("value", "wanted", "words"),
    [
        ("1.5", int, "expected an integer, got '1.5'"),
        ("", int, "expected an integer"),
        ("x", float, "expected a number"),
        ("yes", bool, "expected true or false, got 'yes'"),
        ("3", Literal[1, 2], "expected 1 or 2, got '3'"),
        ("x", list[str], "expected a list, got 'x'"),
        (["x"], list[int], "expected an integer"),
        (["x"], str, "expected a single value, got a list"),
        ("x", dict[str, str], "expected a mapping"),
        ("x", int | None, "expected an integer"),
    ],
)
def test_a_text_of_the_wrong_kind_is_refused(value: Any, wanted: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_value(value, wanted)


@pytest.mark.parametrize(
    ("field", "name"),
    [("inPattern", "in_pattern"), ("file", "file"), ("aB2C", "a_b2_c"), ("in_pattern", "in_pattern")],
)
def test_a_field_names_its_parameter(field: str, name: str) -> None:
    assert snake_case(field) == name


def test_a_parameter_is_reported_as_its_field() -> None:
    assert camel_case("include_tags") == "includeTags"
