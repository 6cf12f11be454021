"""Texts and attributes of elements as selectors and cells see them."""

from __future__ import annotations

import pytest
from lxml import html

from scoopi.parse.css.element_text import (
    attribute_of,
    full_text,
    join_texts,
    name_of,
    own_text,
    whole_own_text,
    whole_text,
)
from scoopi.parse.element import Element


def element(markup: str) -> Element:
    made: Element = html.fragment_fromstring(markup)
    return made


@pytest.mark.parametrize(
    ("markup", "own", "full"),
    [
        ("<p>a</p>", "a", "a"),
        ("<p> a \n b </p>", "a b", "a b"),
        ("<p>a<b>b</b>c</p>", "ac", "abc"),
        ("<p>a<br>b</p>", "a b", "a b"),
        ("<div>a<p>b</p>c</div>", "ac", "a b c"),
        ("<div><p>a</p><p>b</p></div>", "", "a b"),
        ("<p>a<!-- x -->b</p>", "ab", "ab"),
        ("<p>a\u200bb\u00adc</p>", "abc", "abc"),
        ("<p>a\u00a0 b</p>", "a b", "a b"),
        ("<pre>a  b\n c</pre>", "a  b\n c", "a  b\n c"),
        ("<div><pre>a  b</pre> c</div>", "c", "a  b c"),
        ("<script>x()</script>", "", ""),
        ("<p></p>", "", ""),
    ],
)
def test_own_and_full_text_are_collapsed(markup: str, own: str, full: str) -> None:
    assert (own_text(element(markup)), full_text(element(markup))) == (own, full)


@pytest.mark.parametrize(
    ("markup", "own", "whole"),
    [
        ("<p> a  <b> b </b>c</p>", " a  c", " a   b c"),
        ("<p>a<br>b</p>", "a\nb", "a\nb"),
        ("<p>a<script>x()</script>b</p>", "ab", "ab"),
        ("<p>a<!-- x -->b</p>", "ab", "ab"),
        ("<style>p {}</style>", "", ""),
    ],
)
def test_whole_text_is_as_the_page_has_it(markup: str, own: str, whole: str) -> None:
    assert (whole_own_text(element(markup)), whole_text(element(markup))) == (own, whole)


@pytest.mark.parametrize(
    ("texts", "joined"),
    [([], None), (["a"], "a"), ([" "], " "), (["a", " ", "b"], "a b"), ([" ", "\t"], "\t")],
)
def test_several_texts_are_joined_without_blank_ones(texts: list[str], joined: str | None) -> None:
    assert join_texts(texts) == joined


@pytest.mark.parametrize(
    ("base", "page", "href", "absolute"),
    [
        ("", "https://a.example/x/y.html", "z", "https://a.example/x/z"),
        ("/b/", "https://a.example/x/y.html", "z", "https://a.example/b/z"),
        ("ftp://other/", "https://a.example/x", "z", "https://a.example/z"),
        ("", "https://a.example/x", "mailto:a@b", "mailto:a@b"),
        ("", "https://a.example/x", "http://[broken", None),
        ("", "/home/ann/page.html", "z.html", "/home/ann/z.html"),
        ("", "", "z", None),
    ],
)
def test_an_address_is_joined_to_the_base_of_its_page(
    base: str, page: str, href: str, absolute: str | None
) -> None:
    head = f"<head><base href='{base}'></head>" if base else ""
    tree = html.document_fromstring(f"<html>{head}<body><a href='{href}'>x</a></body></html>")
    if page:
        tree.getroottree().docinfo.URL = page
    (link,) = tree.iter("a")
    assert attribute_of(link, "abs:href") == absolute
    assert attribute_of(link, "href") == href
    assert attribute_of(link, "abs:src") is None


def test_only_elements_have_a_name() -> None:
    comment = element("<p><!-- x --></p>")[0]
    assert (name_of(element("<P></P>")), name_of(comment)) == ("p", "")
