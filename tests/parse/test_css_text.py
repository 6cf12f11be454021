"""The text of elements is jsoup's: own text, collapsed, and several results joined."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from lxml import etree

from scoopi.model.locator import Document, Locator
from scoopi.parse.css.element_text import attribute_of, full_text, join_texts, own_text
from scoopi.parse.tree.page import Page, TreeLimits


@pytest.mark.parametrize(
    ("page", "own", "full"),
    [
        ("<td>Oslo</td>", "Oslo", "Oslo"),
        ("<td/>", "", ""),
        ("<td>  a \n\t b  </td>", "a b", "a b"),
        ("<td>\u00a0</td>", "", ""),
        ("<td>1\u00a0\u00a0000</td>", "1 000", "1 000"),
        ("<td>Osl\u00ado\u200b</td>", "Oslo", "Oslo"),
        ("<td>a \u200b b</td>", "a b", "a b"),
        ("<td>\u2003a\u2003</td>", "\u2003a\u2003", "\u2003a\u2003"),
        ("<div>outer<div>x</div>tail</div>", "outertail", "outer x tail"),
        ("<div>a<span>b</span>c</div>", "ac", "abc"),
        ("<div>a<br/>b<br/> c</div>", "a b c", "a b c"),
        ("<div>a<!-- no -->b<?no pi?>c</div>", "abc", "abc"),
        ("<div>a<script>s</script>b<style>t</style>c</div>", "abc", "a b c"),
        ("<script>s</script>", "", ""),
        ("<pre>\n a  b\n<b>c  d</b> </pre>", "a  b", "a  b\nc  d"),
        ("<pre>a\u200bb\u00a0 c</pre>", "a\u200bb\u00a0 c", "a\u200bb\u00a0 c"),
        ("<pre>x<br/>y <br/>z</pre>", "x y z", "x y z"),
        ("<textarea> a  b\n c</textarea>", "a  b\n c", "a  b\n c"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "", "a b c"),
        ("<div><p>a </p> <p> b</p>c</div>", "c", "a b c"),
        ("<div>a<hr/><b>b</b></div>", "a", "a b"),
        ("<div>x <b/> y<br/> <br/>z</div>", "x y z", "x y z"),
        ("<div><option>a</option>b<li>c</li>d</div>", "bd", "ab c d"),
    ],
)
def test_text_is_what_jsoup_says(page: str, own: str, full: str) -> None:
    element = etree.fromstring(page)
    assert own_text(element) == own
    assert full_text(element) == full


def test_blanks_inside_pre_are_kept_six_levels_deep_only() -> None:
    page = etree.fromstring("<pre><b><i><u><s><a> x  y <q> x  y </q></a></s></u></i></b></pre>")
    assert own_text(next(page.iter("a"))) == "x  y"
    assert own_text(next(page.iter("q"))) == "x y"


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        ([], None),
        ([""], ""),
        (["", ""], ""),
        (["a"], "a"),
        (["one", "", "three"], "one three"),
        (["", "two"], "two"),
        (["\u2003", "two"], "two"),
        (["\u00a0", "two"], "\u00a0 two"),
        (["a", "\u00a0"], "a \u00a0"),
    ],
)
def test_several_texts_are_joined_without_blank_ones(texts: list[str], joined: str | None) -> None:
    assert join_texts(texts) == joined


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "T"),
        ("viewbox", "0 0"),
        ("xlink:href", "#x"),
        ("missing", None),
        ("abs:title", "http://h.example/b/T"),
        ("abs:href", "http://other.example/x"),
        ("abs:missing", None),
    ],
)
def test_an_attribute_is_found_as_a_definition_names_it(name: str, value: str | None) -> None:
    page = etree.fromstring(
        '<base href="http://h.example/b/"><p title="T" viewBox="0 0" href="http://other.example/x"'
        ' xlink:href="#x">',
        etree.HTMLParser(),
    )
    assert attribute_of(next(page.iter("p")), name) == value


@pytest.mark.parametrize(
    ("page_url", "base", "href", "absolute"),
    [
        ("https://h.example/a/b.html", None, "c.html", "https://h.example/a/c.html"),
        ("https://h.example/a/b.html", "/d/", "c.html", "https://h.example/d/c.html"),
        ("https://h.example/a/b.html", "http://i.example/", "?q", "http://i.example/?q"),
        ("https://h.example/a/b.html", "about:blank", "/etc/hostname", "https://h.example/etc/hostname"),
        ("https://h.example/a/b.html", "http://[x", "/etc/hostname", "https://h.example/etc/hostname"),
        ("https://h.example/a/b.html", None, "mailto:a@b.example", "mailto:a@b.example"),
        ("https://h.example/a/b.html", None, "http://[x", None),
        ("/pages/a/b.html", None, "../c.html", "/pages/c.html"),
    ],
)
def test_abs_joins_an_address_to_the_base_of_its_page(
    page_url: str, base: str | None, href: str, absolute: str | None
) -> None:
    head = f'<base href="{base}">' if base else ""
    body = f'{head}<a href="{href}">'.encode()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    page = Page(Document(Locator("a", "b", page_url), page_url, now, None, body), TreeLimits())
    assert attribute_of(next(page.root.iter("a")), "abs:href") == absolute


def test_a_relative_url_without_absolute_base_cannot_be_made_absolute() -> None:
    assert attribute_of(etree.fromstring('<a href="x"/>'), "abs:href") is None
