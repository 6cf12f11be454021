"""Classes in brackets become sets of the `regex` module."""

from __future__ import annotations

import pytest
import regex

from scoopi.errors import ParseError
from scoopi.java.regex.regex_classes import CharacterClass, code_set, spread
from scoopi.java.regex.regex_escapes import Cursor

NO_FLAGS: frozenset[str] = frozenset()


def members(java: str, among: str = "abcdexyz019-]^&") -> str:
    """The signs that the class finds; its opening bracket is left out, as the cursor is behind it."""
    written = CharacterClass(Cursor(java), NO_FLAGS).read()
    return "".join(regex.findall(written, among, regex.V1))


@pytest.mark.parametrize(
    ("java", "found"),
    [
        ("a-c]", "abc"),
        ("^a-e]", "xyz019-]^&"),
        ("a-e&&[^bd]]", "ace"),
        ("a[xy]]", "axy"),
        ("a[^a-z0-9]]", "a-]^&"),
        ("]a]", "a]"),
        ("a\\-c]", "ac-"),
        ("a-]", "a-"),
        ("a-z&&c-e&&d]", "d"),
    ],
)
def test_unions_intersections_and_negations_find_what_java_finds(java: str, found: str) -> None:
    assert members(java) == found


def test_only_ascii_letters_have_case_unless_the_flag_says_so() -> None:
    a_umlaut = 0xE4
    assert spread(97, 97, unicode=False) == [(97, 97), (65, 65)]
    assert spread(a_umlaut, a_umlaut, unicode=False) == [(a_umlaut, a_umlaut)]
    assert spread(a_umlaut, a_umlaut, unicode=True) == [(a_umlaut, a_umlaut), (0xC4, 0xC4)]


def test_a_range_holds_its_other_case_under_the_flag_only() -> None:
    assert code_set(97, 99, NO_FLAGS) == "a-c"
    assert code_set(97, 99, frozenset("i")) == "a-cABC"


@pytest.mark.parametrize(
    ("java", "fault"),
    [("a", "is not closed"), ("z-a]", "the range ends before it begins"), ("&&]", "nothing on its sides")],
)
def test_a_wrong_class_names_its_fault(java: str, fault: str) -> None:
    with pytest.raises(ParseError, match=fault):
        members(java)
