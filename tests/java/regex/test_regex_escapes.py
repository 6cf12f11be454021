r"""What a backslash begins in a Java pattern, and the cursor that reads it."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.java.regex.regex_escapes import Cursor, char_text, read_escape, shown

NO_FLAGS: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("escape", "code"),
    [
        ("n", 10),
        ("x41", 0x41),
        ("x{1F600}", 0x1F600),
        ("x{10FFFF}", 0x10FFFF),
        ("012", 10),
        ("0377", 255),
        ("0400", 32),
        ("cA", 1),
        ("u00e4", 0xE4),
        ("uD83D\\uDE00", 0x1F600),
        ("uD83D\\u0041", 0xD83D),
        ("N{BULLET}", 0x2022),
        (".", 46),
    ],
)
def test_an_escape_is_a_code_point(escape: str, code: int) -> None:
    assert read_escape(Cursor(escape), NO_FLAGS) == code


@pytest.mark.parametrize(
    ("escape", "flags", "written"),
    [
        ("d", "", "[0-9]"),
        ("D", "", "[^0-9]"),
        ("d", "U", r"[\p{Nd}]"),
        ("p{Lu}", "", r"[\p{Lu}]"),
        ("PL", "", r"[^\p{L}]"),
    ],
)
def test_an_escape_may_be_a_set(escape: str, flags: str, written: str) -> None:
    assert read_escape(Cursor(escape), frozenset(flags)) == written


def test_v_is_a_set_but_a_character_where_a_range_begins() -> None:
    assert isinstance(read_escape(Cursor("v"), NO_FLAGS), str)
    assert read_escape(Cursor("v"), NO_FLAGS, before_range=True) == 11


@pytest.mark.parametrize(
    "escape", ["", "y", "x4", "x{110000}", "x{}", "08", "u00e", "N{NO SUCH SIGN}", "N", "c", "p{Nope}"]
)
def test_what_java_does_not_know_is_refused(escape: str) -> None:
    with pytest.raises(ParseError) as refused:
        read_escape(Cursor(escape), NO_FLAGS)
    assert refused.value.hint


def test_quoted_text_is_read_sign_by_sign() -> None:
    cursor = Cursor(r"a\Q.\Eb")
    assert cursor.next() == "a"
    assert "".join(cursor.next() for _ in range(6)) == r"\x{2e}", "the dot has no meaning"
    assert cursor.next() == "b"


def test_the_cursor_takes_only_what_comes_next() -> None:
    cursor = Cursor("abc1278")
    assert not cursor.take("b")
    assert cursor.take("abc")
    assert cursor.digits("01234567", 3) == "127"
    assert cursor.peek() == "8"
    assert cursor.next() + cursor.next() == "8", "behind the end it is empty"


def test_comments_end_with_their_line() -> None:
    cursor = Cursor("  # one\r #two\nx")
    cursor.skip_comments(unix_lines=False)
    assert cursor.peek() == "x"
    cursor = Cursor("#one\rx\ny")
    cursor.skip_comments(unix_lines=True)
    assert cursor.peek() == "y"


def test_until_passes_its_end_and_names_what_is_not_closed() -> None:
    cursor = Cursor("name}rest")
    assert (cursor.until("}", "not closed"), cursor.peek()) == ("name", "r")
    with pytest.raises(ParseError, match="at character 5: not closed"):
        cursor.until("}", "not closed")


def test_characters_are_written_so_that_none_has_a_meaning() -> None:
    assert [char_text(code) for code in (97, 45, 0xFF, 0x100, 0xFFFF, 0x10000)] == [
        "a",
        r"\x2d",
        r"\xff",
        r"\u0100",
        r"\uffff",
        r"\U00010000",
    ]


def test_a_long_pattern_is_shown_shortened() -> None:
    assert shown("a" * 200) == repr("a" * 200)
    assert shown("a" * 201) == repr("a" * 200) + "…"
