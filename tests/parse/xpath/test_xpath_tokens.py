"""tokens_of and translate: XPath as definitions write it becomes plain XPath 1.0, or a clear error."""

from __future__ import annotations

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.xpath.xpath_tokens import TokenKind, tokens_of, translate, xpath_literal


def kinds(expression: str) -> list[tuple[str, str]]:
    return [(token.text, token.kind.name) for token in tokens_of(expression)]


def test_a_word_is_what_its_neighbours_make_of_it() -> None:
    assert kinds("div div div") == [("div", "NAME"), ("div", "OPERATOR"), ("div", "NAME")]
    assert kinds("* * *") == [("*", "STAR"), ("*", "OPERATOR"), ("*", "STAR")]
    assert kinds("text()") == [("text", "NODE_TYPE"), ("(", "SYMBOL"), (")", "SYMBOL")]
    assert kinds("count (p)")[0] == ("count", "FUNCTION")
    assert kinds("child :: p")[0] == ("child", "AXIS")
    assert kinds("(a) and b")[3] == ("and", "OPERATOR")
    assert kinds("a/and")[2] == ("and", "NAME")
    assert kinds("$x + .5") == [("$x", "VARIABLE"), ("+", "OPERATOR"), (".5", "NUMBER")]


def test_tokens_and_gaps_are_the_whole_expression() -> None:
    expression = "  //a[@b = 'c  d'] |\n ../*[ position() < 2 ]  "
    tokens = [*tokens_of(expression)]
    assert "".join(token.gap + token.text for token in tokens) == expression.rstrip()
    assert [expression[token.at :].startswith(token.text) for token in tokens] == [True] * len(tokens)
    assert tokens[0].kind is TokenKind.SYMBOL


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("//TABLE/TR[@CLASS='X']/TD", "//table/tr[@CLASS='X']/td"),
        ("//A[B]/C", "//a[B]/c"),
        ("lower-case(@A)", "lower-case(string(@a))"),
        ("contains(lower-case(concat(@a, 'B')), 'c')", "contains(lower-case(string(concat(@a, 'B'))), 'c')"),
    ],
)
def test_names_outside_predicates_are_in_lower_case(written: str, plain: str) -> None:
    assert translate(written, from_document=False) == plain


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("div/p", "/div/p"),
        ("a | b", "/a | /b"),
        ("count(p)", "count(/p)"),
        ("concat(a, b)", "concat(/a, /b)"),
        ("//a", "//a"),
        ("p[a]", "/p[a]"),
        ("'text'", "'text'"),
        ("@id", "/@id"),
    ],
)
def test_relative_paths_begin_at_the_document_if_that_is_wanted(written: str, plain: str) -> None:
    assert translate(written, from_document=True) == plain


@pytest.mark.parametrize(
    ("expression", "what", "hint"),
    [
        ("//a[#]", "'#' at character 5", "remove it"),
        ("//a[@b='c]", '"\'" at character 8', "close the quote"),
        ("//a[containz(., 'x')]", "unknown function: containz at character 5", "did you mean contains?"),
        ("zzzzzzzz(1)", "unknown function", "XPath 1.0 has no such name"),
        ("childs::a", "unknown axis: childs at character 1", "did you mean child?"),
        ("//svg:path", "unknown prefix: svg:path at character 3", "write *[name()='svg:path']"),
        ("//a[$x]", "unknown variable: $x", "use %{…}"),
    ],
)
def test_what_is_not_xpath_is_named_with_its_place_and_a_hint(expression: str, what: str, hint: str) -> None:
    with pytest.raises(ParseError) as raised:
        translate(expression, from_document=False)
    assert what in raised.value.what
    assert hint in raised.value.hint


@pytest.mark.parametrize("text", ["plain", "it's", 'say "x"', """it's "x" """, "''", "']|//*['", ""])
def test_any_text_is_a_literal(text: str) -> None:
    root = etree.fromstring("<a/>")
    assert root.xpath(xpath_literal(text)) == text
    assert root.xpath(xpath_literal(text, '"')) == text
