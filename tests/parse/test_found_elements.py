"""The walk in C finds the elements that an XPath finds, and leaves to it what it cannot decide."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from scoopi.parse.bridge import html_backend
from scoopi.parse.css import compiled_selector
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.element import Element
from scoopi.parse.tree.page import parse_html

PAGE = parse_html(
    b"<div id=a class='x Y'><p class=x>1<div class=x><p>2</div></div><div id=b><p class='y x'>3</div>"
).getroot()
SELECTORS = ["div", "#a", ".x", ".x.y", "div.x", "div#a > p", "div p", "body > div > .x", "#none", "p#a"]


def elements_of(selector: str, scope: Within, root: Element) -> list[Element]:
    return CompiledSelector(parse_selector(selector), scope, 1000).select(root)


@pytest.mark.parametrize("scope", Within)
@pytest.mark.parametrize("selector", SELECTORS)
def test_the_walk_and_an_xpath_find_the_same_elements(
    selector: str, scope: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert html_backend.found_elements() is not None, "the bridge is built"
    for root in (PAGE, PAGE[1], PAGE[1][0]):
        walked = elements_of(selector, scope, root)
        with monkeypatch.context() as patch:
            patch.setattr(compiled_selector, "found_elements", lambda: None)
            assert elements_of(selector, scope, root) == walked


def test_an_element_is_found_as_the_object_that_already_stands_for_it() -> None:
    (div,) = [each for each in PAGE.iter("div") if each.get("id") == "b"]
    (again,) = elements_of("#b", Within.PAGE, PAGE)
    assert again is div


def test_a_found_element_outlives_all_other_references_to_its_page() -> None:
    (found_one,) = elements_of("#b", Within.PAGE, parse_html(b"<p id=b>text").getroot())
    assert found_one.text == "text"
    assert found_one.getroottree().getroot().tag == "html"


def test_selectors_that_search_ancestors_are_left_to_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> list[Element]:
        raise AssertionError("a deep page would take too long")

    monkeypatch.setattr(compiled_selector, "found_elements", lambda: fail)
    assert [each.text for each in elements_of("div p", Within.PAGE, PAGE)] == ["1", "2", "3"]
    with pytest.raises(AssertionError, match="too long"):
        elements_of("div > p", Within.PAGE, PAGE)


def test_an_attribute_with_an_entity_is_left_to_an_xpath() -> None:
    text = "<!DOCTYPE p [<!ENTITY e 'x'>]><p><b class='&e;'/></p>"
    root = etree.fromstring(text, etree.XMLParser(resolve_entities=False))
    search = html_backend.found_elements()
    assert search is not None
    assert search(root, (("b", "", ("x",)),), (), True) is None
