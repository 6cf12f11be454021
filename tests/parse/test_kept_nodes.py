"""The tree of a part of a page has all that is asked for, as the tree of the page has it."""

from __future__ import annotations

import random
import re

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.parts.page_part import Anchor, Kind, PagePart
from tests.parse.test_html_backend import mutated
from tests.parse.tree.built_bridge import built_bridge

MARKS: tuple[tuple[Kind, str], ...] = (("t", "td"), ("t", "p"), ("c", "a"), ("a", "id"))


def kept(root: etree._Element, anchor: Anchor) -> list[tuple[bytes, int, int]]:
    """The elements of an anchor, their places, and how many are around them."""
    path = {"t": ".//{}", "c": ".//*[@class='{}']", "a": ".//*[@{}]"}[anchor.kind].format(anchor.name)
    elements = list(root.iterfind(path))
    if anchor.joins_siblings:
        elements = [other for each in elements for other in (each, *each.itersiblings("*"))]
    return [
        (
            etree.tostring(each, with_tail=False),
            len(list(each.itersiblings("*", preceding=True))),
            len(list(each.iterancestors())),
        )
        for each in elements
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_part_of_a_mutated_page_has_all_that_is_asked_for(seed: int) -> None:
    chance, native, found = random.Random(seed), built_bridge(), 0
    for _ in range(200):
        page = mutated(chance)
        anchors = [Anchor(*mark, chance.random() < 0.5) for mark in chance.sample(MARKS, 2)]
        try:
            whole = native(page, 40, 10_000).getroot()
        except ParseError as error:
            with pytest.raises(ParseError, match=re.escape(str(error))):
                native(page, 40, 10_000, PagePart(tuple(anchors)))
            continue
        part = native(page, 40, 10_000, PagePart(tuple(anchors))).getroot()
        for anchor in anchors:
            assert kept(part, anchor) == kept(whole, anchor), (page, anchor)
            found += len(kept(part, anchor))
    assert found > 50


def test_a_part_leaves_out_what_nobody_asks_for() -> None:
    page = b"<nav>a<b>b</b></nav><main id=m class=x>c<p>d<i>e</i><p id=p>f</main><p>g<i>h</i>"
    part = built_bridge()(page, 40, 99, PagePart((Anchor("i", "p"),)))
    assert etree.tostring(part) == (
        b'<html><body><main id="m" class="x"><p/><p id="p">f</p></main></body></html>'
    )


def test_a_part_has_the_base_of_the_page() -> None:
    part = built_bridge()(b"<head><base href=x><title>t</title><p>g", 40, 99, PagePart((Anchor("i", "p"),)))
    assert etree.tostring(part) == b'<html><head><base href="x"/><title/></head></html>'


@pytest.mark.parametrize(
    ("page", "fault"), [(b"<b>" * 50, "more than 40 deep"), (b"<p a=b>" * 50, "more than 99")]
)
def test_a_page_beyond_the_limits_is_refused_where_a_part_is_asked_for(page: bytes, fault: str) -> None:
    with pytest.raises(ParseError, match=fault):
        built_bridge()(page, 40, 99, PagePart((Anchor("i", "p"),)))


@pytest.mark.parametrize("anchors", [("i",), (("i", "x"),), [("i", "x", False)], (("i", "x", False),) * 33])
def test_wrong_anchors_are_refused(anchors: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        built_bridge().module.parse(b"<p>", 40, 99, anchors=anchors)
