"""script_text: a value of a page never leaves its quotes, and is a number where it reads as one."""

from __future__ import annotations

import pytest

from scoopi.model.text.page_text import marked
from scoopi.script.script_text import script_text


@pytest.mark.parametrize(
    ("before", "value", "behind", "expected"),
    [
        ("f(", "12.5", ")", "f(12.5)"),
        ("1", "-2", "", "1 -2"),
        ("", "12", ".toFixed()", '"12".toFixed()'),
        ("", "012", "", '"012"'),
        ("", "a'b", "", '"a\\u0027b"'),
        ("'", "a'b", "'", "'a\\u0027b'"),
        ("`", "${x}", "`", "`\\u0024\\u007bx\\u007d`"),
        ("`${", "1", "}`", "`${1}`"),
        ("/", "a/b", "/.test(x)", "/a\\u002fb/.test(x)"),
        ("x / ", "2", " / y", "x / 2 / y"),
        ("// ", "a\nb", "\n1", "// a\\u000ab\n1"),
        ("return ", "é", "", 'return "é"'),
    ],
)
def test_a_value_is_written_as_its_place_demands(before: str, value: str, behind: str, expected: str) -> None:
    assert script_text(f"{before}{marked(value)}{behind}") == expected


def test_a_script_without_values_stays_as_it_is() -> None:
    assert script_text("a + 'b'") == "a + 'b'"
