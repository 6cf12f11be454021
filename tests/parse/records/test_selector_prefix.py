"""longest_prefix: how much of a selector that finds nothing still matches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoopi.errors import ParseError
from scoopi.parse.records.selector_prefix import counted_in, longest_prefix


def finds(known: dict[str, int]) -> Callable[[str], int]:
    return lambda selector: known.get(selector, 0)


@pytest.mark.parametrize(
    ("selector", "known", "found"),
    [
        ("div.card > b.price", {"div.card": 2, "div": 3}, ("div.card", 2)),
        ("div.card > b.price", {"div": 3}, ("div", 3)),
        ("div b", {}, ("", 0)),
        ("a[href='x y.z'] b", {"a[href='x y.z']": 1, "a": 5}, ("a[href='x y.z']", 1)),
        ("p:not(.x .y) b", {"p:not(.x .y)": 1, "p:not(.x": 9}, ("p:not(.x .y)", 1)),
        ("#main li", {"#main": 1}, ("#main", 1)),
        (".a.b", {".a": 4, "": 9}, (".a", 4)),
    ],
)
def test_the_longest_beginning_of_a_css_selector_is_found(
    selector: str, known: dict[str, int], found: tuple[str, int]
) -> None:
    assert longest_prefix(selector, finds(known), is_css=True) == found


@pytest.mark.parametrize(
    ("path", "known", "found"),
    [
        ("//div[@id='a/b']/p[2]", {"//div[@id='a/b']/p": 3}, ("//div[@id='a/b']/p", 3)),
        ("//div[@id='a/b']/p[2]", {"//div": 3}, ("//div", 3)),
        ("offers[0].price", {"offers[0]": 1, "offers": 2}, ("offers[0]", 1)),
    ],
)
def test_a_path_is_cut_between_its_steps(path: str, known: dict[str, int], found: tuple[str, int]) -> None:
    assert longest_prefix(path, finds(known), is_css=False) == found


def test_a_beginning_that_is_not_complete_is_passed_over() -> None:
    def matches(selector: str) -> int:
        if selector == "div.card":
            raise ParseError("not complete")
        return 7

    assert longest_prefix("div.card b", matches, is_css=True) == ("div", 7)


def test_matches_are_counted_in_all_elements() -> None:
    matches = counted_in(["aab", "b", "a"], lambda selector: lambda text: [*text][: text.count(selector)])
    assert (matches("a"), matches("b"), matches("c")) == (3, 2, 0)
