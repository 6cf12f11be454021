r"""What `\p{…}` means in Java."""

from __future__ import annotations

import pytest

from scoopi.java.regex.regex_properties import property_set


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("Lu", r"\p{Lu}"),
        ("general_category=Lu", r"\p{Lu}"),
        ("IsLatin", r"\p{Script=Latin}"),
        ("script=Latin", r"\p{Script=Latin}"),
        ("InGreek", r"\p{Block=Greek}"),
        ("block=Greek", r"\p{Block=Greek}"),
        ("IsAlphabetic", r"\p{Alphabetic}"),
        ("Alpha", "a-zA-Z"),
        ("Lower", "a-z"),
        ("ASCII", r"\x00-\x7f"),
        ("L1", r"\x00-\xff"),
        ("javaLetter", r"\p{L}"),
        ("Nope", None),
        ("Qx", None),
        ("IsNope", None),
    ],
)
def test_a_name_of_java_is_a_set(name: str, inside: str | None) -> None:
    assert property_set(name, any_case=False, unicode_classes=False) == inside


def test_without_case_upper_lower_and_title_case_are_one() -> None:
    assert property_set("Lu", any_case=True, unicode_classes=False) == r"\p{Lu}\p{Ll}\p{Lt}"
    assert property_set("Nd", any_case=True, unicode_classes=False) == r"\p{Nd}"


def test_classes_of_posix_are_those_of_unicode_where_the_flag_says_so() -> None:
    assert property_set("Alpha", any_case=False, unicode_classes=True) == r"\p{Alphabetic}"
