"""The tree of a part of a page has all that is asked for, as the tree of the page has it."""

from __future__ import annotations

import random
import re

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.element import Element
from scoopi.parse.parts.page_part import Anchor, AnchorKind, PagePart
from tests.parse.bridge.test_html_backend import mutated
from tests.parse.tree.built_bridge import built_bridge

MARKS: tuple[tuple[AnchorKind, str], ...] = (
    *(("t", "td"), ("t", "p"), ("t", "table"), ("t", "body")),
    *(("c", "a"), ("a", "id"), ("i", "x"), ("a", "class")),
)


def elements_of(root: Element, anchor: Anchor) -> list[Element]:
    path = {"t": "{}", "i": "*[@id='{}']", "c": "*[@class='{}']", "a": "*[@{}]"}[anchor.kind]
    return list(root.iterfind(f".//{path.format(anchor.name)}"))


def kept_elements(root: Element, anchors: list[Anchor]) -> list[tuple[bytes, list[int], int]]:
    """The elements that anchors keep, their places, and how many are around them."""
    found = []
    frames = {
        each for one in anchors if one.is_shallow and not one.is_nested for each in elements_of(root, one)
    }
    for anchor in anchors:
        elements = elements_of(root, anchor)
        if anchor.is_nested:
            elements = [each for each in elements if frames & {each, *each.iterancestors()}]
        if anchor.joins_siblings:
            elements = [other for each in elements for other in (each, *each.itersiblings("*"))]
        found += [
            (
                b"" if anchor.is_shallow else etree.tostring(each, with_tail=False),
                [
                    len(list(each.itersiblings(kind, preceding=is_before)))
                    for kind in ("*", each.tag)
                    for is_before in (True, False)
                ],
                len(list(each.iterancestors())),
            )
            for each in elements
        ]
    return found


def drawn(chance: random.Random) -> list[Anchor]:
    """Whole anchors, or a shallow one with others nested in it; the same mark may be of both kinds."""
    anchors = [Anchor(*mark, chance.random() < 0.5) for mark in chance.sample(MARKS, chance.randrange(3))]
    if chance.random() < 0.7 or not anchors:
        anchors.append(Anchor(*chance.choice(MARKS), is_shallow=True))
        anchors.append(Anchor(*chance.choice(MARKS), is_shallow=True, is_nested=True))
        anchors.append(Anchor(*chance.choice(MARKS), chance.random() < 0.3, is_nested=True))
    return anchors


@pytest.mark.parametrize("seed", range(6))
def test_a_part_of_a_mutated_page_has_all_that_is_asked_for(seed: int) -> None:
    chance, native, found = random.Random(seed), built_bridge(), 0
    for _ in range(400):
        page = mutated(chance)
        anchors = drawn(chance)
        try:
            whole = native(page, 40, 10_000).getroot()
        except ParseError as error:
            with pytest.raises(ParseError, match=re.escape(str(error))):
                native(page, 40, 10_000, PagePart(tuple(anchors)))
            continue
        part = native(page, 40, 10_000, PagePart(tuple(anchors))).getroot()
        assert kept_elements(part, anchors) == kept_elements(whole, anchors), (page, anchors)
        found += len(kept_elements(part, anchors))
    assert found > 100


def part_of(page: bytes, *anchors: Anchor) -> bytes:
    return etree.tostring(built_bridge()(page, 40, 999, PagePart(anchors)))


LIST = Anchor("c", "list", is_shallow=True)


def test_of_a_shallow_anchor_only_the_nested_ones_are_kept() -> None:
    page = b"<b>a</b><ul class=list>b<li>c<b>d<i>e</i></b><u>f<s>g</s></u><li>h<b>i</b></ul><b>j</b>"
    part = part_of(page, LIST, Anchor("t", "b", is_nested=True))
    assert part == (
        b'<html><body><b/><ul class="list"><li><b>d<i>e</i></b><u/></li><li><b>i</b></li></ul><b/></body>'
        b"</html>"
    )


def test_a_nested_anchor_that_is_shallow_is_there_with_its_siblings_and_no_contents() -> None:
    page = b"<li>a</li><ul class=list><li>b<b>c</b></li><hr><li>d</li></ul><li>e<b>f</b>"
    part = part_of(page, LIST, Anchor("t", "li", is_shallow=True, is_nested=True))
    assert part == b'<html><body><li/><ul class="list"><li/><hr/><li/></ul><li/></body></html>'


def test_a_nested_anchor_can_be_the_shallow_one_itself() -> None:
    page = b"<b>a</b><p class=list>b<b>c</b></p>"
    part = part_of(page, LIST, Anchor("t", "p", is_nested=True))
    assert part == b'<html><body><b/><p class="list">b<b>c</b></p></body></html>'


def test_behind_and_between_shallow_anchors_nested_ones_do_not_count() -> None:
    page = b"<p class=list><b>a</b></p><b>b<i>c</i></b><p class=list><u class=list></u><b>d</b></p><b>e</b>"
    part = part_of(page, LIST, Anchor("t", "b", is_nested=True))
    assert part == (
        b'<html><body><p class="list"><b>a</b></p><b/><p class="list"><u class="list"/><b>d</b></p><b/>'
        b"</body></html>"
    )


@pytest.mark.parametrize("mark", [("i", "x"), ("c", "k")])
def test_an_id_or_class_counts_beside_an_anchor_of_the_attribute(mark: tuple[AnchorKind, str]) -> None:
    page = b"<p id=x class=k>a<i>b</i>"
    named: tuple[AnchorKind, str] = ("a", "id" if mark[0] == "i" else "class")
    part = part_of(page, Anchor(*named, is_nested=True), Anchor(*mark), LIST)
    assert part == b'<html><body><p id="x" class="k">a<i>b</i></p></body></html>'


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


@pytest.mark.parametrize(
    "anchors", [("i",), (("i", "x", False),), [("i", "x", *[False] * 3)], (("i", "x", *[False] * 3),) * 33]
)
def test_wrong_anchors_are_refused(anchors: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        built_bridge().module.parse(b"<p>", 40, 99, anchors=anchors)


@pytest.mark.parametrize(
    ("classes", "is_kept"),
    [
        *((" k", True), ("x\tK\n", True), ("a b k c", True), ("é", True), ("a é b", True)),
        *(("kk", False), ("a-k k-a", False), ("", False), ("  ", False), ("j", False)),
    ],
)
def test_an_element_is_an_anchor_by_any_of_its_classes(classes: str, is_kept: bool) -> None:
    page = f"<p class='{classes}'>a</p>".encode()
    tree = built_bridge()(page, 40, 999, PagePart((Anchor("c", "x1"), Anchor("c", "k"))))
    assert [each.text for each in tree.iter("p")] == (["a"] if is_kept else [])
