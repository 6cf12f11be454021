"""Scanner: a cursor over a selector, which names the character that is wrong."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.parse.css.scanner import Scanner


def test_it_steps_over_what_comes_next() -> None:
    scanner = Scanner("  td-x > p", "  td-x > p")
    assert scanner.skip_blanks()
    assert not scanner.skip_blanks()
    assert scanner.word("-") == "td-x"
    assert not scanner.take(">")
    scanner.skip_blanks()
    assert scanner.take(">")
    assert scanner.up_to("p") == " "
    assert (scanner.at_end, scanner.peek(), scanner.up_to("p")) == (True, "", "")


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("(a(b)c)d", "a(b)c"),
        (r"(a\)b)", r"a\)b"),
        ("('a)b')", "'a)b'"),
        (r"(\Qa)b\E)", r"\Qa)b\E"),
        ("(Shareholder's)", "Shareholder's"),
        ("()", ""),
    ],
)
def test_brackets_inside_balance_unless_they_are_quoted(text: str, inside: str) -> None:
    scanner = Scanner(text, f"p:is{text}", offset=4)
    assert scanner.between("(", ")") == (inside, 5)
    assert scanner.text[scanner.position :] == text[len(inside) + 2 :]


def test_a_bracket_that_is_not_closed_is_named_by_its_place_in_the_whole() -> None:
    with pytest.raises(ParseError, match=r"selector 'p:is\(a': no '\)' closes this '\(', at character 5"):
        Scanner("(a", "p:is(a", offset=4).between("(", ")")


def test_a_message_shows_the_values_of_the_page() -> None:
    scanner = Scanner("\ua000!", "\ua000!", values={"\ua000": "Oslo"})
    scanner.position = 1
    with pytest.raises(ParseError, match="selector 'Oslo!': odd sign, at character 5"):
        scanner.fail("odd sign", hint="remove it")
