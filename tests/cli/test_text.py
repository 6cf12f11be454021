"""Numbers, times and rates read well."""

from __future__ import annotations

import pytest

from scoopi.cli.text import counted, duration, labelled, rate


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0.00 s"),
        (9.994, "9.99 s"),
        (9.996, "10.0 s"),
        (99.96, "1 min 40 s"),
        (3599.7, "1 h 00 min"),
        (7500, "2 h 05 min"),
    ],
)
def test_a_duration_is_shown_in_its_two_largest_units(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_amounts_read_well() -> None:
    assert (counted(1, "job"), counted(0, "job"), counted(1234, "job")) == ("1 job", "0 jobs", "1,234 jobs")
    assert (rate(5, 0), rate(1, 3), rate(100, 7), rate(12345, 2)) == ("0.00", "0.33", "14.3", "6,172")


def test_a_label_stands_before_the_first_line_only() -> None:
    lines = labelled(lambda text, *_: f"<{text}>", "jobs", ["1 done", "2 left"])
    assert list(lines) == ["  <jobs    >1 done", "  <        >2 left"]
