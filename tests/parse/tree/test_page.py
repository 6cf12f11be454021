"""A page is parsed when first asked for, once."""

from __future__ import annotations

import copy
import threading
from datetime import UTC, datetime
from time import process_time
from typing import Any

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document, Locator
from scoopi.parse import parse_html
from scoopi.parse.bridge.html_backend import COMPILED, PURE_PYTHON
from scoopi.parse.parts.page_part import Anchor, PagePart
from scoopi.parse.tree import page as page_module
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.tree.page import Page, TreeLimits, html_backend
from tests.parse.tree.built_bridge import built_bridge
from tests.parse.tree.tree_drawing import draw

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def document(body: bytes, charset: str | None = None) -> Document:
    return Document(Locator("a", "b", "http://x/"), "http://x/final", NOW, charset, body)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pages that were parsed."""
    seen: list[bytes] = []

    def watch(body: bytes, charset: str | None, *, limits: TreeLimits, part: PagePart | None) -> object:
        seen.append(body)
        return parse_html(body, charset, limits=limits, part=part)

    monkeypatch.setattr(page_module, "parse_html", watch)
    return seen


def test_the_tree_is_made_when_first_asked_for_and_once(parsed: list[bytes]) -> None:
    held = Page(document(b"<p>x"), TreeLimits())
    assert parsed == []
    assert held.root is held.root
    assert held.root.tag == "html"
    assert parsed == [b"<p>x"]


def test_a_part_is_parsed_once_and_the_page_when_more_of_it_is_needed(parsed: list[bytes]) -> None:
    held = Page(document(b"<base href=b><p>x<i>y"), TreeLimits(), PagePart((Anchor("t", "i"),)))
    assert etree.tostring(held.part_root[-1]) == b"<body><p><i>y</i></p></body>"
    assert held.base_href == "b"
    assert len(parsed) == 1
    assert held.root.findtext(".//p") == "x"
    assert held.part_root is held.root
    assert len(parsed) == 2


def test_without_a_part_all_is_in_the_part(parsed: list[bytes]) -> None:
    held = Page(document(b"<p>x"), TreeLimits())
    assert held.part_root is held.root
    assert len(parsed) == 1


def test_the_pure_python_copier_gives_the_page_where_a_part_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_module, "compiled_parser", lambda: None)
    part = PagePart((Anchor("t", "i"),))
    assert draw(parse_html(b"<p>x<i>y", part=part)) == draw(parse_html(b"<p>x<i>y"))


def test_the_charset_of_the_header_counts() -> None:
    assert Page(document(b"<p>\xe9", "latin1"), TreeLimits()).root.findtext(".//p") == "é"


def test_a_page_beyond_the_limits_is_reported_with_its_address_and_parsed_once(parsed: list[bytes]) -> None:
    held = Page(document(b"<p>" * 9), TreeLimits(max_bytes=8))
    for _ in range(2):
        with pytest.raises(ParseError, match=r"^http://x/final: the page has 27 bytes"):
            _ = held.root
    assert len(parsed) == 1


def root_of(page: bytes) -> Any:
    return parse_html(page).getroot()


@pytest.fixture(params=[PURE_PYTHON, COMPILED])
def used_backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """parse_html goes by this backend."""
    chosen = built_bridge() if request.param == COMPILED else None
    monkeypatch.setattr("scoopi.parse.tree.page.compiled_parser", lambda: chosen)
    return str(request.param)


def test_the_backend_in_use_is_reported(used_backend: str) -> None:
    assert html_backend() == used_backend


@pytest.mark.usefixtures("used_backend")
def test_a_page_always_has_html_head_and_body() -> None:
    for page in (b"", b"text", b"<p>", b"<!doctype html>", b"<!-- c -->"):
        assert [child.tag for child in parse_html(page).getroot()] == ["head", "body"]


@pytest.mark.usefixtures("used_backend")
def test_names_have_no_namespace_and_are_lower_case() -> None:
    root = root_of(b"<svg viewBox=1><linearGradient/></svg><math><MI>x</math><P CLASS=A>y")
    assert len(root.xpath("//svg[@viewbox]/lineargradient")) == 1
    assert root.xpath("//math/mi/text()") == ["x"]
    assert root.xpath("//p/@class") == ["A"]


@pytest.mark.usefixtures("used_backend")
def test_attribute_names_that_xml_refuses_are_kept() -> None:
    page = b'<p @click=a xmlns:fb=b x"y=c 1=d><svg><a xlink:href=e>'
    root = root_of(page)
    assert dict(root.find(".//p").attrib) == {"@click": "a", "xmlns:fb": "b", 'x"y': "c", "1": "d"}
    assert root.xpath("//a/@*[name()='xlink:href']") == ["e"]


@pytest.mark.usefixtures("used_backend")
def test_an_attribute_that_looks_like_a_namespace_is_dropped() -> None:
    root = root_of(b"<p {a}b=1 {c=2 d=3>")
    assert dict(root.find(".//p").attrib) == {"d": "3"}


@pytest.mark.usefixtures("used_backend")
def test_characters_that_lxml_refuses_do_not_fail_the_page() -> None:
    title, odd = "<title>\x00t\x01</title>", "<p a='\x02\x0c' b\x03=1>\x00x\x0cy&#1;\ufffe&#xffff;"
    root = root_of(f"{title}{odd}<o'p>z<!--\x04-->".encode())
    paragraph = root.find(".//p")
    assert root.findtext(".//title") == "�t�"
    assert dict(paragraph.attrib) == {"a": "� ", "b�": "1"}
    assert paragraph.text == "x y���"
    assert root.xpath("string(//o_p)") == "z"
    assert root.xpath("//comment()")[0].text == "�"


@pytest.mark.usefixtures("used_backend")
def test_comments_keep_their_blanks_and_dashes() -> None:
    root = root_of(b"<p><!--  a -- b- --->x<template><!-- c --><!-- --><i></template><!---->")
    assert [comment.text for comment in root.xpath("//comment()")] == ["  a -- b- -", " c ", " ", ""]


@pytest.mark.usefixtures("used_backend")
def test_the_content_of_a_template_is_its_children() -> None:
    root = root_of(b"<template><p>a<template><b>c</template></template>")
    assert root.xpath("//template/p/template/b/text()") == ["c"]


@pytest.mark.usefixtures("used_backend")
def test_ids_are_found_by_the_function_of_xpath() -> None:
    root = root_of(b"<p id=a><i id=b>x</i><a name=c>y</a><i id=b>z")
    assert [found.text for found in root.xpath("id('b') | id('c')")] == ["x", "y"]


@pytest.mark.usefixtures("used_backend")
def test_texts_beside_comments_stay_apart_and_others_are_one() -> None:
    root = root_of(b"<p>a<!--b-->c</p><table>d<tr>e</table>")
    assert root.xpath("//p/text()") == ["a", "c"]
    assert root.xpath("//body/text()") == ["de"]


@pytest.mark.usefixtures("used_backend")
def test_the_charset_is_found_before_the_parse() -> None:
    assert parse_html(b"<p>\xe9", "latin1").findtext(".//p") == "é"
    assert parse_html("<p>é".encode()).findtext(".//p") == "é"


@pytest.mark.usefixtures("used_backend")
def test_a_page_over_the_limit_of_bytes_is_refused() -> None:
    with pytest.raises(
        ParseError, match=r"the page has 11 bytes, 10 are allowed; raise scoopi.loader.maxBytes"
    ):
        parse_html(b"<p>12345678", limits=TreeLimits(max_bytes=10))
    parse_html(b"<p>1234567", limits=TreeLimits(max_bytes=10))


@pytest.mark.usefixtures("used_backend")
def test_a_page_one_node_over_the_limit_of_nodes_is_refused() -> None:
    limits = TreeLimits(max_nodes=9)
    parse_html(b"<p a=1 b=2>x<!--y--><b>", limits=limits)
    with pytest.raises(ParseError, match=r"more than 9 nodes .*; raise scoopi\.parser\.maxNodes"):
        parse_html(b"<p a=1 b=2>x<!--y--><b>z", limits=limits)


@pytest.mark.usefixtures("used_backend")
def test_a_page_one_element_over_the_limit_of_depth_is_refused() -> None:
    limits = TreeLimits(max_depth=20)
    parse_html(b"<div>" * 18 + b"x", limits=limits)
    with pytest.raises(ParseError, match=r"more than 20 deep; raise scoopi\.parser\.maxDepth"):
        parse_html(b"<div>" * 19 + b"x", limits=limits)


@pytest.mark.usefixtures("used_backend")
@pytest.mark.parametrize("tags", [b"<div>", b"<b>", b"<table><tr><td>", b"<ul><li>", b"<svg>", b"<x><y></x>"])
def test_a_page_of_50000_open_elements_ends_soon(tags: bytes) -> None:
    """It takes seconds at most, in time of the processor; a search of the tree for each tag takes hours."""
    began = process_time()
    page = tags * 50_000
    if tags == b"<x><y></x>":
        assert len(root_of(page).find("body")) == 50_000
    else:
        with pytest.raises(ParseError, match="more than 2,000 deep"):
            parse_html(page)
    assert process_time() - began < 60


@pytest.mark.usefixtures("used_backend")
def test_a_page_at_the_limit_of_depth_overflows_no_stack() -> None:
    failed: list[BaseException] = []

    def use() -> None:
        try:
            root = root_of(b"<div>" * 1998 + b"x")
            assert root.xpath("string()") == "x"
            assert len(root.xpath("//div[not(p)]")) == 1998
            assert len("".join(copy.deepcopy(root).itertext())) == 1
            assert len(etree.tostring(root)) > 1998 * 11
        except BaseException as error:
            failed.append(error)

    former = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(former)
    assert failed == []


def test_without_a_bridge_pages_are_copied_in_pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoopi.parse.tree.page.compiled_parser", lambda: None)
    assert draw(parse_html(b"<td>x")) == draw(copy_html(b"<td>x", 9))
    assert html_backend() == PURE_PYTHON
