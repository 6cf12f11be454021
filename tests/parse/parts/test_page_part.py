"""The parts of a page that several definitions read are one."""

from __future__ import annotations

import pytest

from scoopi.parse.parts.page_part import MOST_ANCHORS, Anchor, PagePart, joined

ONE = PagePart((Anchor("i", "prices"), Anchor("t", "h1")))


def test_all_that_is_in_one_of_them_is_in_the_joined_part() -> None:
    other = PagePart((Anchor("c", "prices"), Anchor("t", "h1")))
    assert joined([ONE, other]) == PagePart((Anchor("i", "prices"), Anchor("t", "h1"), Anchor("c", "prices")))


@pytest.mark.parametrize("first", [True, False])
def test_siblings_that_one_needs_are_in_it(first: bool) -> None:
    parts = [PagePart((Anchor("t", "h2", joins_siblings=each),)) for each in (first, not first)]
    assert joined(parts) == PagePart((Anchor("t", "h2", joins_siblings=True),))


def test_with_one_that_needs_the_page_all_do() -> None:
    assert joined([ONE, None]) is None
    assert joined([]) is None


def test_with_very_many_anchors_the_page_is_read_as_a_whole() -> None:
    def of(number: int) -> PagePart | None:
        return joined(PagePart((Anchor("c", f"c{at}"),)) for at in range(number))

    assert of(MOST_ANCHORS - 1) is not None
    assert of(MOST_ANCHORS) is None


def test_the_same_mark_is_there_for_each_use() -> None:
    whole = Anchor("c", "card")
    anchors = (whole, whole._replace(is_shallow=True), whole._replace(is_nested=True))
    assert joined(PagePart((anchor,)) for anchor in (*anchors, *anchors)) == PagePart(anchors)


def test_of_very_many_nested_anchors_the_shallow_ones_are_read_as_a_whole() -> None:
    shallow = Anchor("c", "card", is_shallow=True)
    nested = tuple(Anchor("c", f"c{at}", is_nested=True) for at in range(MOST_ANCHORS))
    card = Anchor("t", "li", is_shallow=True, is_nested=True)
    assert joined([PagePart((shallow, card, *nested)), ONE]) == PagePart((Anchor("c", "card"), *ONE.anchors))
