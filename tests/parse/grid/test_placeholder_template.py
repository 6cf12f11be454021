"""PlaceholderTemplate: what is known beforehand is text; the rest is put in row by row."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.model.text.page_text import marked
from scoopi.parse.grid.placeholder_template import (
    IndexOf,
    Leftover,
    Piece,
    PlaceholderTemplate,
    ValueOf,
    opened,
)


def test_a_text_without_open_pieces_is_known_at_once() -> None:
    template = PlaceholderTemplate(["a", "", "b", Leftover("%{gone}")])
    assert template.pieces == ("ab", Leftover("%{gone}"))
    assert (template.text, template.leftovers) == ("ab%{gone}", ["%{gone}"])
    assert (template.axes, template.values) == (frozenset(), frozenset())
    assert template.render([], []) == "ab%{gone}"


def test_indexes_and_values_of_the_row_are_put_in() -> None:
    template = PlaceholderTemplate(["tr:nth-child(", IndexOf(1), ") ", ValueOf(0, "%{city}")])
    assert (template.text, template.axes, template.values) == (None, frozenset({1}), frozenset({0}))
    assert template.render([7, 3], ["Oslo"]) == f"tr:nth-child(3) {marked('Oslo')}"
    assert template.render([7, 3], [None]) == "tr:nth-child(3) %{city}", "there is no value"


def test_a_text_of_endless_length_is_refused() -> None:
    template = PlaceholderTemplate([ValueOf(0, "%{a}"), ValueOf(0, "%{a}")])
    with pytest.raises(ParseError, match="longer than 1000000 characters"):
        template.render([1], ["x" * 600_000])


def test_each_index_has_a_stand_in_if_nothing_else_varies() -> None:
    text, axes = opened(PlaceholderTemplate(["tr[", IndexOf(0), "]/td[", IndexOf(2), "]"]))
    first, second = axes
    assert (text, list(axes.values())) == (f"tr[{first}]/td[{second}]", [0, 2])
    others: list[list[Piece]] = [
        ["tr[", IndexOf(0), ValueOf(1, "%{a}")],
        ["tr[7000", IndexOf(0), "]"],
        ["tr"],
    ]
    for pieces in others:
        assert not opened(PlaceholderTemplate(pieces)).axes
