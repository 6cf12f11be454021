"""A pattern of DateTimeFormatter is cut into fields, plain text, optional and padded parts."""

from __future__ import annotations

import pytest

from scoopi.java.dates.zoned_pattern_parts import OPTIONAL, PADDED, ZonedPart, zoned_parts


def test_brackets_hold_an_optional_part() -> None:
    year, optional = zoned_parts("uuuu[-MM]")
    assert (year.letter, year.width, optional.letter) == ("u", 4, OPTIONAL)
    assert [(part.letter, part.width, part.text) for part in optional.parts] == [("", 0, "-"), ("M", 2, "")]


def test_a_padded_field_has_a_width_of_its_own() -> None:
    (padded,) = zoned_parts("pppH")
    assert (padded.letter, padded.width, padded.parts) == (PADDED, 3, (ZonedPart("H", 1),))


@pytest.mark.parametrize(
    ("pattern", "is_number"), [("M", True), ("MM", True), ("MMM", False), ("E", False), ("e", True)]
)
def test_from_three_letters_on_a_month_is_a_name(pattern: str, is_number: bool) -> None:
    assert zoned_parts(pattern)[0].is_number is is_number


@pytest.mark.parametrize(("pattern", "digits"), [("d", (1, 2)), ("dd", (2, 2)), ("H", (1, 2))])
def test_two_letters_are_two_digits(pattern: str, digits: tuple[int, int]) -> None:
    least, most = zoned_parts(pattern)[0].digits
    assert least == digits[0]
    assert most >= digits[1]


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("[uuuu", r"a \[ of the date pattern is not closed"),
        ("B", "B is not a letter of a date pattern"),
        ("MMMMMM", "MMMMMM is not a field"),
        ("uuuu 'h", "quote"),
    ],
)
def test_a_wrong_pattern_names_its_fault(pattern: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        zoned_parts(pattern)
