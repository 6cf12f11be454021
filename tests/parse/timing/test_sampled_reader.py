"""Some pages are read with the times of their entries, all others as usual."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from scoopi.model.report.counter_names import AxisKey
from scoopi.parse.timing.sampled_reader import SampledReader
from scoopi.parse.timing.stopwatch import Stopwatch

PRICE = ("item", "price")


def timed(watch: Stopwatch) -> Callable[[str], str]:
    return watch.timed([PRICE], lambda page: f"timed {page}")


def test_the_first_pages_are_timed_and_then_one_of_sixteen() -> None:
    noted: list[Mapping[AxisKey, float]] = []
    reader = SampledReader(str, timed, noted.append)
    rows = [reader.read(str(page)) for page in range(1, 50)]
    assert [row for row in rows if "timed" in row] == [f"timed {page}" for page in (1, 2, 3, 4, 16, 32, 48)]
    assert [list(each) for each in noted] == [[PRICE]] * 7


def test_what_was_measured_of_a_page_that_failed_is_not_noted() -> None:
    noted: list[Mapping[AxisKey, float]] = []

    def failing(watch: Stopwatch) -> Callable[[str], str]:
        read_first = watch.timed([PRICE], str)
        read_rest = watch.timed([("item", "title")], lambda page: {"good": "rows"}[page])
        return lambda page: read_first(page) and read_rest(page)

    reader = SampledReader(str, failing, noted.append)
    with pytest.raises(KeyError):
        reader.read("bad")
    assert noted == []
    assert reader.read("good") == "rows"
    assert [set(each) for each in noted] == [{PRICE, ("item", "title")}]
