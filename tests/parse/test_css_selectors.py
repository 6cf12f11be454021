"""Selectors of the jsoup dialect find what jsoup finds."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css.compiled_selector import CompiledSelector
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.css.xpath_writer import Within
from scoopi.parse.element import Element

PAGE = etree.fromstring(
    '<html id="html"><head id="head"><title id="title">Weather</title></head>'
    '<body id="page" class="Main  dark"><div id="a" class="Box first" title="  Foo  bar ">'
    '<p id="p1">one<b id="b1">two</b> three<br id="br"/>four</p><p id="p2" class="z">'
    'it\'s &#160; (x)</p><span id="s1"> Own  text </span><p id="p3">last</p></div>'
    '<div id="d" class="box"><a id="l1" href="http://h.example/x">Kiel</a>'
    '<a id="l2" href="rel" data-temp="7">Jena</a><i id="e"><!-- nothing --></i><i id="w"> </i>'
    '</div><table id="t" class="x y"><tbody id="tb"><tr id="r1"><th id="h1">City</th>'
    '<th id="h2">Mon</th></tr><tr id="r2"><td id="c1">Oslo</td><td id="c2">-2</td></tr>'
    '<tr id="r3"><td id="c3">Rome</td><td id="c4">12</td></tr></tbody></table><script id="js">'
    'var hidden = "Oslo";</script></body></html>'
)

# block, selector, ids of what is found; each line was seen with jsoup 1.13.1
FOUND = [
    ("#page", "P", "p1 p2 p3"),
    ("#page", "*", "page a p1 b1 br p2 s1 p3 d l1 l2 e w t tb r1 h1 h2 r2 c1 c2 r3 c3 c4 js"),
    ("#page", "#a", "a"),
    ("#page", "#A", ""),
    ("#page", ".BOX", "a d"),
    ("#page", ".box.first", "a"),
    ("#page", "div#a.box", "a"),
    ("#page", "p.z", "p2"),
    ("#page", "body p", "p1 p2 p3"),
    ("#page", "body", "page"),
    ("body > div", "div", "a d"),
    ("#a", "div > p", "p1 p2 p3"),
    ("#a", "div p", "p1 p2 p3"),
    ("#a", "div + div", ""),
    ("#a", "> p", "p1 p2 p3"),
    ("#a", "> span", "s1"),
    ("#t", "tbody > tr", "r1 r2 r3"),
    ("#t", "table > tbody > tr", "r1 r2 r3"),
    ("html", "body > div", "a d"),
    ("#page", "p b", "b1"),
    ("#page", "div > b", ""),
    ("#page", "div b", "b1"),
    ("#page", "p + p", "p2"),
    ("#page", "p + span", "s1"),
    ("#page", "p ~ p", "p2 p3"),
    ("#page", "span ~ p", "p3"),
    ("#page", "div > p + span", "s1"),
    ("#page", "p , span", "p1 p2 s1 p3"),
    ("#page", "p,a , p", "p1 p2 p3 l1 l2"),
    ("#page", "> p", ""),
    ("#page", "> div", "a d"),
    ("#page", "+ div", ""),
    ("#page", ", p", "page p1 p2 p3"),
    ("#page", "[href]", "l1 l2"),
    ("#page", "[HREF]", "l1 l2"),
    ("#page", "[href=rel]", "l2"),
    ("#page", "a[href='REL']", "l2"),
    ("#page", 'a[href="rel"]', "l2"),
    ("#page", "[title='foo  bar']", "a"),
    ("#page", "[title='foo bar']", ""),
    ("#page", "[title=foo  bar]", "a"),
    ("#page", "[class='x y']", "t"),
    ("#page", "[title^=foo]", ""),
    ("#page", "[title^='  foo']", "a"),
    ("#page", "[title$='bar ']", "a"),
    ("#page", "[title*=oo  B]", "a"),
    ("#page", "[href^=HTTP]", "l1"),
    ("#page", "[href$=/X]", "l1"),
    ("#page", "[href*=example]", "l1"),
    ("#page", "a[href!=rel]", "l1"),
    ("#page", "a[title!=x]", "l1 l2"),
    ("#page", "[^data-]", "l2"),
    ("#page", "[href~=^h..p:]", "l1"),
    ("#page", "[class~=(?i)MAIN]", "page"),
    ("#page", "tr:nth-child(2)", "r2"),
    ("#page", "tr:nth-child(2) > td:nth-child(1)", "c1"),
    ("#page", "td:nth-child(2)", "c2 c4"),
    ("#page", "tr:nth-child(odd)", "r1 r3"),
    ("#page", "tr:nth-child(EVEN)", "r2"),
    ("#page", "tr:nth-child(2n+1)", "r1 r3"),
    ("#page", "tr:nth-child(n+2)", "r2 r3"),
    ("#page", "tr:nth-child(-n+2)", "r2 r3"),
    ("#page", "tr:nth-child(-2n+3)", "r1 r3"),
    ("#page", "tr:nth-child(0)", ""),
    ("#page", "tr:nth-child(-1)", ""),
    ("#page", "tr:nth-child( 3 )", "r3"),
    ("#page", "tr:nth-child(+3)", "r3"),
    ("#page", "p:nth-last-child(1)", "p3"),
    ("#page", "tr:nth-last-child(2)", "r2"),
    ("#page", "tr:nth-last-child(n+2)", "r1 r2"),
    ("#page", "p:nth-of-type(3)", "p3"),
    ("#page", "*:nth-of-type(2)", "p2 d l2 w h2 r2 c2 c4"),
    ("#page", "p:nth-last-of-type(1)", "p3"),
    ("#page", ":nth-last-of-type(2)", "a p2 l1 e h1 r2 c1 c3"),
    ("#page", "p:first-child", "p1"),
    ("#page", "p:last-child", "p3"),
    ("#page", ":last-child", "page br p3 w tb h2 c2 r3 c4 js"),
    ("#page", "span:first-of-type", "s1"),
    ("#page", "p:last-of-type", "p3"),
    ("#page", "b:only-of-type", "b1"),
    ("#page", ":only-of-type", "page b1 br s1 t tb js"),
    ("#page", "tbody:only-child", "tb"),
    ("#page", ":only-child", "tb"),
    ("#page", "p:eq(1)", "p2"),
    ("#page", "p:eq(0)", "p1"),
    ("#page", "tr:lt(2)", "r1 r2"),
    ("#page", "tr:gt(0)", "r2 r3"),
    ("#t", ":lt(1)", "tb r1 h1 c1 c3"),
    ("#d", ":eq(0)", "l1"),
    ("#page", "i:empty", "e"),
    ("#page", ":empty", "br e"),
    ("#page", ":root", "page"),
    ("#a", ":root", "a"),
    ("html", ":root", "html"),
    ("html", "html:first-child", ""),
    ("html", "html:eq(0)", "html"),
    ("#page", "td:contains(oslo)", "c1"),
    ("#page", "td:contains(OSLO)", "c1"),
    ("#page", ":contains(Rome)", "page t tb r3 c3"),
    ("#page", "p:contains(two three)", "p1"),
    ("#page", "p:contains(onetwo three four)", "p1"),
    ("#page", "p:contains((x))", "p2"),
    ("#page", "tr:contains(Oslo -2)", "r2"),
    ("#page", "div:containsOwn(one)", ""),
    ("#page", "p:containsOwn(one three four)", "p1"),
    ("#page", "p:containsOwn(two)", ""),
    ("#page", ":containsData(hidden)", "page js"),
    ("#page", "p:matches(^one.*r$)", "p1"),
    ("#page", "p:matchesOwn(three four)", "p1"),
    ("#page", "td:matchesOwn(^-?\\d+$)", "c2 c4"),
    ("#page", "td:matchesOwn(os)", ""),
    ("#page", "td:matches((?i)os)", "c1"),
    ("#page", "tr:matches(\\d{2})", "r3"),
    ("#page", "div:has(b)", "a"),
    ("#page", "div:has(> p)", "a"),
    ("#page", "div:has(> b)", ""),
    ("#page", "div:has(div b)", "a"),
    ("#page", "tr:has(td:contains(Rome))", "r3"),
    ("#page", ":has(b + br)", "page a p1"),
    ("#page", "p:not(.z)", "p1 p3"),
    ("#page", "p:not(.z, :eq(0))", "p3"),
    ("#page", "p:not(div p)", ""),
    ("#a", "p:not(body p)", "p1 p2 p3"),
    ("#t", "td:not(tr:nth-child(2) > td)", "c3 c4"),
    ("#page", "div:not(:has(a))", "a"),
    ("#page", "td:not(:contains(o))", "c2 c4"),
    ("#page", "tr:not(:root > tbody > tr)", "r1 r2 r3"),
    ("#t", "tr:not(:root > tbody > tr)", ""),
    ("#page", "*|p", ""),
    ("#page", "p:nth-child(2", "p2"),
    ("#page", "p:FIRST-CHILD", "p1"),
    ("#page", "p:nth-child(2):not(.y)", "p2"),
    ("#page", "td[id$=2], p[id=p2] b, #l1", "l1 c2"),
    ("#page", "tr > :nth-child(2)", "h2 c2 c4"),
    ("#page", "tr :nth-child(2)", "h2 c2 c4"),
    ("#page", "td:not(:nth-child(2))", "c1 c3"),
    ("#page", "tr:has(:nth-child(2):matchesOwn(\\d))", "r2 r3"),
    ("#page", "a:first-child + a", "l2"),
]


def ids_of(block: str, selector: str, page: Element = PAGE) -> str:
    blocks = CompiledSelector(parse_selector(block), Within.PAGE, 1000).select(page)
    compiled = CompiledSelector(parse_selector(selector), Within.BLOCK, 1000)
    elements = dict.fromkeys(element for each in blocks for element in compiled.select(each))
    return " ".join(str(element.get("id")) for element in elements)


WHOLE_TEXTS = etree.fromstring(
    "<html><body><p id='p'>One  <b id='b'>two\n three</b><br id='br'/>Four<script id='s'>five</script></p>"
    "<div id='d'>one  two</div></body></html>"
)


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        (":is(b, div)", "b d"),
        ("p :is(p > b, br):not(br)", "b"),
        (":is(.x, #d)", "d"),
        ("p:containsWholeText(One  two\n three\nFour)", "p"),
        (":containsWholeText(one  two)", "d"),
        (":containsWholeText(One two)", ""),
        (":containsWholeText(five)", ""),
        (":containsWholeOwnText(One  \nFour)", "p"),
        (":containsWholeOwnText(two\n)", "b"),
        (":matchesWholeText(^One)", "p"),
        (":matchesWholeText(\\w  \\w)", "p d"),
        (":matchesWholeOwnText(two\\s+three)", "b"),
    ],
)
def test_the_newer_pseudo_classes_of_jsoup_work(selector: str, ids: str) -> None:
    assert ids_of("body", f"body {selector}" if selector[0] == ":" else selector, WHOLE_TEXTS) == ids


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("p:matchText", "One Two Three"),
        ("p:matchText:first-child", "One Three"),
        ("p.x:matchText:nth-child(3)", "Two"),
        ("p:matchText + br + p", "Two"),
        ("b:matchText", "Bold"),
        ("script:matchText", None),
    ],
)
def test_match_text_selects_texts_as_elements_and_leaves_the_page_alone(
    selector: str, text: str | None
) -> None:
    markup = "<html><body><p class='x'>One<br/>Two<b>Bold</b></p><p>Three</p><script>s</script></body></html>"
    page = etree.fromstring(markup)
    engine = CssEngine()
    assert engine.compile_value(selector)(engine.compile_block("body")(page)) == text
    assert engine.compile_value("p")(engine.compile_block("body:has(p:matchText)")(page)) == "One Two Three"
    assert etree.tostring(page, encoding="unicode").replace('"', "'") == markup


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("a::attr(href)", "an attribute is read by 'a attribute: href'"),
        ("td > a::attr('data-id')", "an attribute is read by 'td > a attribute: data-id'"),
        ("td > a::text", "the element's own text is read by 'td > a'"),
        ("td > a atribute: href", "an attribute is read by 'td > a attribute: href'"),
        ("a attribute:abs:href", "an attribute is read by 'a attribute: abs:href'"),
    ],
)
def test_other_forms_of_reading_an_attribute_are_answered_with_the_right_one(
    selector: str, hint: str
) -> None:
    with pytest.raises(ParseError) as error:
        CssEngine().compile_value(selector)
    assert error.value.hint == hint


@pytest.mark.parametrize(("block", "selector", "ids"), FOUND)
def test_a_selector_finds_what_jsoup_finds(block: str, selector: str, ids: str) -> None:
    assert ids_of(block, selector) == ids


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        ("p:nth-child(2n + 1)", "p1"),
        ("p:contains(it's)", "p2"),
        ("p:contains(it's \\(x)", "p2"),
        ("div > p:nth-child(2", "p2"),
        ("[ href ]", "l1 l2"),
        ("p , > div", "a p1 p2 p3 d"),
    ],
)
def test_what_jsoup_refuses_without_need_is_understood(selector: str, ids: str) -> None:
    assert ids_of("#page", selector) == ids


@pytest.mark.parametrize(
    ("block", "ids"),
    [
        ("> html", "html"),
        ("> :eq(0)", "html"),
        ("> :nth-last-child(odd)", ""),
        ("html:nth-child(1)", ""),
        ("html:only-of-type", ""),
        (":root", "html"),
        ("html:lt(1)", "html"),
        ("+ html", ""),
        (", #a", "a"),
        ("html:not(:first-child)", "html"),
    ],
)
def test_the_root_of_a_page_has_an_index_but_no_position(block: str, ids: str) -> None:
    blocks = CompiledSelector(parse_selector(block), Within.PAGE, 1000).select(PAGE)
    assert " ".join(str(element.get("id")) for element in blocks) == ids


@pytest.mark.parametrize(
    ("selector", "what", "hint"),
    [
        ("", "a selector is missing before the end, at character 1", "name an element"),
        ("td >", "a selector is missing before the end, at character 5", "name an element"),
        ("td,", "a selector is missing before the end, at character 4", "name an element"),
        ("td > > p", "a selector is missing before '>', at character 6", "name an element"),
        ("tr:nth-chld(2)", "there is no ':nth-chld', at character 3", "did you mean ':nth-child'?"),
        ("td:matchesown2(x)", "there is no ':matchesown2', at character 3", "did you mean ':matchesOwn'?"),
        ("p::before", "there is no ':', at character 2", "the pseudo-classes are"),
        ("td:nth-child(two)", "':nth-child' cannot read 'two', at character 13", ":nth-child(2n+1)"),
        ("td:eq(-1)", "':eq' needs a number from 0, got '-1', at character 6", ":eq(0)"),
        ("td:contains", "':contains' needs its argument in brackets, at character 12", ":contains(…)"),
        ("td:contains(a", "no ')' closes this '(', at character 12", "add ')'"),
        ("td:contains()", "':contains()' is empty, at character 3", "between the brackets"),
        ("td[title", "no ']' closes this '[', at character 3", "add ']'"),
        ("td[=x]", "the name of the attribute is missing, at character 3", "[name=value]"),
        ("td[title=]", "the value is missing, at character 3", "[title='value']"),
        ("td.", "the name of the class is missing after '.', at character 4", ".name"),
        (".", "the name of the class is missing after '.', at character 2", "the element itself is '*'"),
        (":scope", "there is no ':scope', at character 1", "the element itself is '*'"),
        ("td #", "the name of the id is missing after '#', at character 5", "#name"),
        ("td%{item.value}", "'%' has no meaning here, at character 3", "placeholders"),
        ("td:not(p:nope)", "there is no ':nope', at character 9", "the pseudo-classes are"),
        ("td:has(p, > )", "a selector is missing before the end, at character 13", "name an element"),
    ],
)
def test_a_wrong_selector_is_reported_with_its_place_and_hint(selector: str, what: str, hint: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_selector(selector)
    assert error.value.what == f"selector '{selector}': {what}"
    assert hint in error.value.hint


def test_a_wrong_pattern_is_a_parse_error() -> None:
    with pytest.raises(ParseError):
        CompiledSelector(parse_selector("td:matches([)"), Within.BLOCK, 1000)


def test_selectors_nested_without_end_are_refused() -> None:
    with pytest.raises(ParseError, match="nested too deep"):
        parse_selector(":not(" * 500 + "p" + ")" * 500)


def test_a_selector_too_large_for_xpath_is_a_parse_error() -> None:
    compiled = CompiledSelector(parse_selector("p" + ":not(.x)" * 20_000), Within.BLOCK, 1000)
    with pytest.raises(ParseError, match="cannot be evaluated"):
        compiled.select(PAGE)


def test_elements_of_svg_are_found_by_their_names() -> None:
    page = etree.fromstring(
        "<html><body><svg id='v'><a id='a'/><lineargradient id='g'><a id='b'/></lineargradient></svg>"
        "<a id='c'/></body></html>"
    )
    assert ids_of("svg", "a", page) == "a b"
    assert ids_of("html", "a:nth-of-type(1)", page) == "a b c"
    assert ids_of("html", "linearGradient > a", page) == "b"


def test_names_that_xpath_cannot_write_are_found() -> None:
    text = "<html><body><p id='x' @click='go' xlink:href='#q'/><x:p id='y'/><1 id='z'/></body></html>"
    page = etree.fromstring(text, etree.HTMLParser())
    assert ids_of("html", "[@click]", page) == "x"
    assert ids_of("html", "[xlink:href=#Q]", page) == "x"
    assert ids_of("html", "[^xlink:]", page) == "x"


def test_a_page_5000_deep_is_searched_without_recursion() -> None:
    page = etree.Element("html")
    inner = page
    for _ in range(5_000):
        inner = etree.SubElement(inner, "b")
    inner.set("id", "last")
    inner.text = "deep"
    assert ids_of("html", "b:not(:has(b)):containsOwn(deep)", page) == "last"


def test_text_with_quotes_of_both_kinds_is_found() -> None:
    page = etree.fromstring("<html><body><p id='x' title='a\"b&apos;c'/></body></html>")
    assert ids_of("html", "[title=a\"b'c]", page) == "x"
