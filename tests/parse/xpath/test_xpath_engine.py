"""XPath queries: blocks, values, text, and the dialect of definitions (defs/README.md, 3.3)."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.parse import parse_html
from scoopi.parse.element import Element
from scoopi.parse.xpath.xpath_engine import XPathEngine

PAGE = """
<title>T</title>
<table id=Prices><tr><td>Rope&nbsp;<td>3<script>x()</script>.5<!-- no --><br>kg
 <tr><td>Lamp<td><a HREF=/lamp class=Big>see</a></table>
<ul><li>one<li>two<ul><li>two.one</ul></ul><p></p><p> </p><svg><linearGradient id=g /></svg>
"""


@pytest.fixture
def engine() -> XPathEngine:
    return XPathEngine()


@pytest.fixture
def root() -> Element:
    return parse_html(PAGE.encode()).getroot()


def value(root: Element, block: str, selector: str) -> str | None:
    engine = XPathEngine()
    return engine.compile_value(selector)(engine.compile_block(block)(root))


@pytest.mark.parametrize(
    ("block", "selector", "expected"),
    [
        ("//table", "*//tr[1]/td[2]", "3x().5kg\n "),
        ("//table", "*//tr[1]/td[1]", "Rope\xa0"),
        ("//table", ".//td", "see"),
        ("//table", "tr", None),
        ("//*[@id='Prices']", "tbody/tr[1+1]/td[3-2]", "Lamp"),
        ("/html/body/table", "descendant::a/@href", "/lamp"),
        ("//a", "@class", "Big"),
        ("//a", "@none", None),
        ("//a", "text()", "see"),
        ("//a", ".", "see"),
        ("//a", "..", "see"),
        ("//a", "ancestor::tr[1]/td[1]", "Lamp"),
        ("//a", "//li", "two.one"),
        ("//li", "text()", "two.one"),
        ("//p", "text()", " "),
        ("//p[1]", ".", ""),
        ("//p[1]", "text()", None),
        ("//table", "//comment()", " no "),
        ("//body/ul/li", "preceding-sibling::li", "one"),
        ("//td[.='Lamp']", "following-sibling::td", "see"),
        ("//td[starts-with(child::text(),'La')]", ".", "Lamp"),
        ("//li[contains(.,'two') and count(*)=0]", ".", "two.one"),
        ("//none", "//li", None),
    ],
)
def test_the_last_node_in_the_block_gives_its_whole_raw_text(
    root: Element, block: str, selector: str, expected: str | None
) -> None:
    assert value(root, block, selector) == expected


def test_the_last_block_decides_even_if_it_has_nothing(root: Element) -> None:
    assert value(root, "//tr", "td/a") == "see"
    assert value(root, "//td", "a") == "see"
    assert value(root, "//tr/td[1]", "self::td[.='Rope']") is None
    assert value(root, "//li", "ul/li") is None


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("count(//td)", "4"),
        ("count(//td) div 8", "0.5"),
        ("1 div 3", "0.3333333333333333"),
        ("0.0000001", "0.0000001"),
        ("10000000000 * 10000000000", "100000000000000000000"),
        ("- 0", "0"),
        ("1 div 0", "Infinity"),
        ("-1 div 0", "-Infinity"),
        ("number('x')", "NaN"),
        ("count(//td) = 4", "true"),
        ("not(//td)", "false"),
        ("normalize-space(//p[2])", ""),
        ("concat('a', \"'\")", "a'"),
    ],
)
def test_strings_numbers_and_booleans_are_their_string(root: Element, selector: str, expected: str) -> None:
    assert value(root, "//table", selector) == expected


@pytest.mark.parametrize(
    ("block", "selector", "expected"),
    [
        ("//TABLE", "TBODY/Tr[2]/TD[1]", "Lamp"),
        ("//A", "@HREF", "/lamp"),
        ("//BODY/UL/LI[1]", "text()", "one"),
        ("//linearGradient", "@ID", "g"),
        ("//a", "normalize-space(//TITLE)", "T"),
        ("//a", "concat('LI', //LI[1])", "LIone"),
    ],
)
def test_names_outside_predicates_fold_case(root: Element, block: str, selector: str, expected: str) -> None:
    assert value(root, block, selector) == expected


def test_names_and_texts_inside_predicates_keep_their_case(root: Element) -> None:
    assert value(root, "//table[@ID='Prices']", ".") is None
    assert value(root, "//table[@id='prices']", ".") is None
    assert value(root, "//table[TBODY]", ".") is None
    assert value(root, "//a[@class='Big']", ".") == "see"


def test_lower_case_folds_strings_and_nodes(root: Element) -> None:
    assert value(root, "//a", "lower-case('ÀB')") == "àb"
    assert value(root, "//tr[lower-case(td)='lamp']", "lower-case( td[1] )") == "lamp"
    assert value(root, "//td[lower-case(.) = 'lamp']", "lower-case()") == "lamp"
    assert value(root, "//a", "concat(lower-case(substring('ABC', (1+1))), 'X')") == "bcX"


def test_paths_of_a_block_begin_at_the_document(root: Element) -> None:
    assert value(root, "html/body/p[2]", ".") == " "
    assert value(root, "table", ".") is None
    assert value(root, ".//title | */body/p[1]", ".") == ""
    assert value(root, "id('g')", "name()") == "lineargradient"
    assert value(root, "(//li)[2]", "text()") == "two"
    assert value(root, "descendant::a", ".") == "see"


def test_an_empty_text_in_a_predicate_matches_every_empty_element(root: Element) -> None:
    assert value(root, "//*[.='']", "name()") == "lineargradient"


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ("//a/@href", "texts or attributes"),
        ("//td/text()", "texts or attributes"),
        ("string(//a)", "a text"),
        ("count(//a)", "a number"),
        ("1 = 1", "a boolean"),
    ],
)
def test_a_block_that_yields_no_elements_fails(
    engine: XPathEngine, root: Element, block: str, kind: str
) -> None:
    with pytest.raises(ParseError, match=f"yields {kind}, not elements; let the block select elements"):
        engine.compile_block(block)(root)


@pytest.mark.parametrize(
    ("selector", "fault"),
    [
        ("", "the XPath is empty; write an expression"),
        ("td[", r"the XPath 'td\[' is wrong: invalid"),
        ("td]", r"the XPath 'td\]' is wrong: invalid"),
        ("//", "the XPath '//' is wrong: invalid"),
        ("td[.='it's']", r"""\"'\" at character 11; close the quote; a text that holds ' stands between"""),
        ("td;", "';' at character 3; remove it"),
        ("tds(1)", "unknown function: tds at character 1; XPath 1.0 has no such name"),
        ("contain(., 'x')", "unknown function: contain at character 1; did you mean contains?"),
        ("//td[Contains(., 'x')]", "unknown function: Contains at character 6; did you mean contains?"),
        ("matches(., 'x')", "unknown function: matches"),
        ("sibling::td", "unknown axis: sibling at character 1"),
        ("following_sibling::td", "did you mean following-sibling?"),
        ("@xlink:href", r"unknown prefix: xlink:href at character 2; .* write \*\[name\(\)='xlink:href'\]"),
        ("svg:rect", "unknown prefix: svg:rect"),
        ("td[$n]", r"unknown variable: \$n at character 4"),
        ("count()", "is wrong: invalid number of arguments"),
        ("count('x')", "is wrong: invalid type"),
        ("td[%{x}]", "'%' at character 4"),
    ],
)
def test_a_wrong_selector_is_reported_when_compiled(engine: XPathEngine, selector: str, fault: str) -> None:
    for compiled in (engine.compile_block, engine.compile_value):
        with pytest.raises(ParseError, match=fault):
            compiled(selector)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("div[div div div mod mod]", None),
        ("or or and and div", "false"),
        ("*[* * *]", None),
        ("@*", None),
        ("//@*[. = '1' or . != \"2\"]", "g"),
        (
            "text | node() | comment() | processing-instruction('a')",
            "Rope\xa03x().5kg\n Lampsee\nonetwotwo.one \n",
        ),
        ("ancestor-or-self :: node ( ) / child :: x", None),
        ("a-b.c_d/é", None),
        (".5 + 5. - -1", "6.5"),
        ("//*[last()][position() <= 3]/following::*", ""),
        (" \n //a \t", "see"),
    ],
)
def test_words_of_xpath_may_be_names_and_stand_in_any_white_space(
    engine: XPathEngine, root: Element, selector: str, expected: str | None
) -> None:
    assert engine.compile_value(selector)([root]) == expected


def test_queries_are_compiled_once_and_the_least_used_forgotten() -> None:
    engine = XPathEngine(cached_queries=2)
    first = engine.compile_value("//a")
    assert engine.compile_value("//a") is first
    engine.compile_value("//b")
    engine.compile_value("//c")
    assert engine.compile_value("//a") is not first


def test_a_value_holds_no_tree(engine: XPathEngine, root: Element) -> None:
    for selector in ("//a/@href", "//a/text()", "string(//a)"):
        assert type(engine.compile_value(selector)([root])) is str
