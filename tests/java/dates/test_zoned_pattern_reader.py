"""A text is read by the parts of a zoned pattern into fields."""

from __future__ import annotations

import pytest

from scoopi.java.dates.date_names import date_names
from scoopi.java.dates.zoned_pattern_parts import zoned_parts
from scoopi.java.dates.zoned_pattern_reader import read

NAMES = date_names("en")


@pytest.mark.parametrize(
    ("pattern", "text", "fields"),
    [
        ("uuuuMMdd", "20260305", {"u": 2026, "M": 3, "d": 5}),
        ("uuuu[-MM]", "2026", {"u": 2026}),
        ("uuuu[-MM]", "2026-03", {"u": 2026, "M": 3}),
        ("MMMM", "March", {"M": 3}),
        (".SSS", ".123", {"S": 123_000_000}),
        ("VV", "Europe/Berlin", {"region": "Europe/Berlin"}),
        ("XXX", "-01:30", {"offset": -5400}),
        ("X", "Z", {"offset": 0}),
        ("O", "GMT+2", {"offset": 7200}),
        ("z", "EST", {"offset": -18_000}),
    ],
)
def test_fields_are_read_under_their_letters(pattern: str, text: str, fields: dict[str, object]) -> None:
    assert read(zoned_parts(pattern), text, NAMES) == fields


@pytest.mark.parametrize(
    ("pattern", "text", "fault"),
    [
        ("uuuu", "2026x", "continues after character 4"),
        ("u", "9" * 5000, "has too many digits at character 1"),
        ("MMM", "Foo", "has no name of MMM at character 1"),
        ("X", "+19", "is not an offset"),
        ("XXX", "+01:60", "is not an offset"),
        ("VV", "?", "names no time zone at character 1"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_with_its_place(pattern: str, text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read(zoned_parts(pattern), text, NAMES)
