"""Texts read as the key wants."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.node import read_bool, read_integer, read_range


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2),
        ("010", 10),
        ("1_000", 1000),
        ("-1", -1),
        ("+3", 3),
        ("2147483647", 2147483647),
        ("2147483648", None),
        ("2.5", None),
        ("0x1F", None),
        ("1e3", None),
        (" 2", None),
        ("٣", None),
        ("", None),
    ],
)
def test_integers_are_decimal(text: str, number: int | None) -> None:
    assert read_integer(text) == number


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("2-6", (2, 6)),
        ("6-2", (2, 6)),
        ("3", (3, 3)),
        ("5-", (5, None)),
        ("-", (0, 0)),
        ("0-0", (0, 0)),
        ("-5", None),
        ("2 - 6", None),
        ("2..6", None),
        ("1-2-3", None),
        ("2147483648", None),
        ("", None),
    ],
)
def test_ranges_are_from_to(text: str, bounds: tuple[int, int | None] | None) -> None:
    assert read_range(text) == bounds


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("true", True),
        ("Yes", True),
        ("ON", True),
        ("False", False),
        ("no", False),
        ("off", False),
        ("1", None),
    ],
)
def test_truths_are_those_of_the_original(text: str, truth: bool | None) -> None:
    assert read_bool(text) is truth
