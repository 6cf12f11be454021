"""Counters of what definitions find have a name for each definition, axis and kind."""

from __future__ import annotations

from scoopi.model.report.counter_names import count_name


def test_counters_of_different_axes_have_different_names() -> None:
    names = {count_name("rows", "a"), count_name("rows", "b"), count_name("met", "a", ("item", "x"))}
    assert len(names) == 3
