"""A Java pattern becomes one that means the same to the `regex` module."""

from __future__ import annotations

import pytest
import regex

from scoopi.errors import ParseError
from scoopi.java.regex.regex_translator import Translator


def first_match(pattern: str, text: str) -> str | None:
    match = regex.search(Translator(pattern).translate(), text, regex.V1)
    return None if match is None else match[0]


@pytest.mark.parametrize(
    ("pattern", "text", "match"),
    [
        ("a(?i)b", "aB", "aB"),
        ("a(?i)b", "AB", None),
        ("(?<n>a.)\\k<n>", "axax", "axax"),
        ("(a)\\1", "aa", "aa"),
        ("\\Qa.b\\E", "a.b", "a.b"),
        ("\\Qa.b\\E", "axb", None),
        ("(?x) a b #c", "ab", "ab"),
        ("a.b", "a\nb", None),
        ("(?s)a.b", "a\nb", "a\nb"),
        ("^b", "a\nb", None),
        ("(?m)^b", "a\nb", "b"),
        ("a$", "a\n", "a"),
        ("(?d)a$", "a\r", None),
        ("a++a", "aaa", None),
        ("a{2}", "aaa", "aa"),
        ("a(?=b)", "ab", "a"),
    ],
)
def test_the_translation_finds_what_java_finds(pattern: str, text: str, match: str | None) -> None:
    assert first_match(pattern, text) == match


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(", "a group is not closed"),
        ("a{2,1}", "the repetition's range is impossible"),
        ("*a", r"\* repeats nothing"),
        ("(?z)a", "[(][?] is followed by 'z'"),
        ("[a", "the character class is not closed"),
    ],
)
def test_what_java_refuses_is_refused_at_its_place(pattern: str, fault: str) -> None:
    with pytest.raises(ParseError, match=rf"is wrong at character \d+: {fault}"):
        Translator(pattern).translate()


def test_a_group_that_is_not_there_is_never_found() -> None:
    assert first_match("a|\\1", "b") is None
