"""is_blank: what Java counts as blank, which is less than Python does."""

from __future__ import annotations

import pytest

from scoopi.java.java_blank import JAVA_BLANKS, JAVA_TRIMMED, is_blank


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", True), (" \t\n", True), ("\u2003", True), ("\u00a0", False), ("\u2007", False), (" x ", False)],
)
def test_a_no_break_space_is_not_blank(text: str, expected: bool) -> None:
    assert is_blank(text) is expected


def test_trim_removes_control_characters_and_blanks_only() -> None:
    assert "\x00 \x1f a\u2003".strip(JAVA_TRIMMED) == "a\u2003"
    assert set(JAVA_BLANKS) - {chr(code) for code in range(0x110000) if chr(code).isspace()} == set()
