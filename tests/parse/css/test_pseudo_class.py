"""What follows a colon in a selector is parsed into tests."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.parse.css.pseudo_class import parse_pseudo_class
from scoopi.parse.css.scanner import Scanner
from scoopi.parse.css.syntax import Compound, Nth, SiblingIndex, StateTest, TextTest


def parsed(text: str) -> Compound:
    """The tests of a pseudo-class without selectors inside."""
    return parse_pseudo_class(Scanner(text, text), lambda _: ())


@pytest.mark.parametrize(
    ("text", "a", "b"),
    [
        ("odd", 2, 1),
        ("even", 2, 0),
        ("3", 0, 3),
        ("-1", 0, -1),
        ("n", 1, 0),
        ("2n", 2, 0),
        ("2n+1", 2, 1),
        ("2n - 1", 2, -1),
        ("-2n+5", -2, 5),
        ("-n+2", 1, 2),
    ],
)
def test_an_argument_is_a_step_and_a_start(text: str, a: int, b: int) -> None:
    assert parsed(f":nth-child({text})") == (Nth(a, b),)


@pytest.mark.parametrize(
    ("name", "from_end", "of_type"),
    [
        ("child", False, False),
        ("last-child", True, False),
        ("of-type", False, True),
        ("last-of-type", True, True),
    ],
)
def test_places_count_from_either_end_among_all_or_those_of_the_type(
    name: str, from_end: bool, of_type: bool
) -> None:
    assert parsed(f":nth-{name}(2)") == (Nth(0, 2, from_end, of_type),)


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        (":first-child", (Nth(0, 1),)),
        (":only-child", (Nth(0, 1), Nth(0, 1, from_end=True))),
        (":ROOT", (StateTest("root"),)),
        (":matchtext", (StateTest("matchText"),)),
        (":eq(0)", (SiblingIndex("=", 0),)),
        (":lt(2)", (SiblingIndex("<", 2),)),
        (":gt(2)", (SiblingIndex(">", 2),)),
        (":contains(A\\)b)", (TextTest("contains", "a)b"),)),
        (":containsWholeText(A b)", (TextTest("containsWholeText", "A b"),)),
        (":matches(^\\d)", (TextTest("matches", "^\\d"),)),
    ],
)
def test_names_are_known_in_any_case(text: str, tests: Compound) -> None:
    assert parsed(text) == tests


@pytest.mark.parametrize(
    ("text", "fault", "hint"),
    [
        (":frist-child", "there is no ':frist-child'", "did you mean ':first-child'?"),
        (":contains", "needs its argument in brackets", "write ':contains(…)'"),
        (":contains()", "':contains()' is empty", "between the brackets"),
        (":nth-child(x)", "cannot read 'x'", "as in ':nth-child(2n+1)'"),
        (":eq(-1)", "needs a number from 0, got '-1'", "write ':eq(0)'"),
        ("::attr(href)", "there is no ':'", "'* attribute: href'"),
        ("::text", "there is no ':'", "own text is read by '*'"),
    ],
)
def test_a_wrong_one_is_refused_with_what_to_write(text: str, fault: str, hint: str) -> None:
    with pytest.raises(ParseError) as refused:
        parsed(text)
    assert fault in str(refused.value)
    assert hint in (refused.value.hint or "")
