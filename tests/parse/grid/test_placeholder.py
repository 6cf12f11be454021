"""Placeholders name axes and their properties; what cannot be known stays as written."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.model.data_def import ItemDef
from scoopi.parse.grid.placeholder import AxisDef, PlaceholderScope
from scoopi.parse.grid.placeholder_template import Leftover

AXES = (
    AxisDef("item", ItemDef("hour", order=3, match="a\\.b")),
    AxisDef("dim", ItemDef("day", value="Mon")),
    AxisDef("dim", ItemDef("place")),
    AxisDef("fact", ItemDef("fact")),
)
INDEXES = (4, 5, 6, 1)
VALUES = ("a.b", "Mon", None, None)


def rendered(text: str, own: int = 3, values: tuple[str | None, ...] = VALUES) -> str:
    return PlaceholderScope(AXES, own).compile(text).render(INDEXES, values)


@pytest.mark.parametrize(
    ("own", "text", "expected"),
    [
        (0, "tr:nth-child(%{index})", "tr:nth-child(4)"),
        (1, "%{index} %{item.index} %{dim.index} %{fact.index}", "5 4 5 1"),
        (1, "%{dim.place.index}", "6"),
        (3, "%{item.hour.match} %{item.value}", "a\\.b a.b"),
        (0, "%{match}", "a\\.b"),
        (0, "%{item.order} %{dim.order} %{item.itemName} %{axisName} %{nameString}", "3 1 hour item item"),
        (0, "%{dim.value}", "Mon"),
        (0, "%{item.value}", "%{item.value}"),
        (2, "%{value}", "%{value}"),
        (2, "%{item.value}", "a.b"),
        (3, "%{dim.place.value}", "%{dim.place.value}"),
        (3, "%{dim.match}", "%{dim.match}"),
        (0, "%%{index}", "%{index}"),
        (0, "%%%{index}%{index}", "%%{index}4"),
        (0, "100% {x} %{", "100% {x} %{"),
        (0, "", ""),
    ],
)
def test_placeholders_are_replaced(own: int, text: str, expected: str) -> None:
    assert rendered(text, own) == expected


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("%{indx}", "names no property 'indx'", "did you mean 'index'?"),
        ("%{dims.index}", "names no axis 'dims'", "did you mean 'dim'?"),
        ("%{dim.dya.index}", "names no dim 'dya'", "did you mean 'day'?"),
        ("%{a.b.c.index}", "has more than three parts", "%{axis.itemName.property}"),
        ("%{}", "names no property ''", "index"),
    ],
)
def test_a_placeholder_that_names_nothing_is_an_error(text: str, what: str, hint: str) -> None:
    with pytest.raises(ParseError) as error:
        PlaceholderScope(AXES, 0).compile(text)
    assert what in error.value.what
    assert hint in error.value.hint


def test_an_axis_that_the_definition_has_not_is_an_error() -> None:
    with pytest.raises(ParseError, match="there is none"):
        PlaceholderScope(AXES[:1], 0).compile("%{dim.index}")


def test_what_is_known_beforehand_is_put_in_at_once() -> None:
    scope = PlaceholderScope(AXES, 3)
    assert scope.compile("%{dim.value} %{item.match}").text == "Mon a\\.b"
    assert scope.compile("%{dim.value} %{index}").text is None


def test_a_text_shows_which_placeholders_can_never_be_resolved() -> None:
    pieces = PlaceholderScope(AXES, 0).compile("%{dim.place.value} %{dim.match} %{index}").pieces
    assert [piece for piece in pieces if isinstance(piece, Leftover)] == [
        Leftover("%{dim.place.value}"),
        Leftover("%{dim.match}"),
    ]


def test_values_of_the_page_are_marked_and_not_looked_into() -> None:
    assert rendered("<%{dim.place.value}>", values=(None, None, "%{item.index}-%%{index}\0", None)) == (
        "<\0%{item.index}-%%{index}\ufffd\0>"
    )


def test_texts_of_definitions_hold_no_mark() -> None:
    axes = (AxisDef("item", ItemDef("i", value="a\0b")), AxisDef("dim", ItemDef("d")))
    assert PlaceholderScope(axes, 1).compile("\0%{item.value}%{index}").render((1, 9), (None, None)) == (
        "\ufffda\ufffdb9"
    )


def test_constants_that_hold_placeholders_are_expanded() -> None:
    axes = (AxisDef("item", ItemDef("i", value="[%{dim.index}]")), AxisDef("dim", ItemDef("d")))
    assert PlaceholderScope(axes, 1).compile("%{item.value}").render((1, 9), (None, None)) == "[9]"


def test_placeholders_that_go_round_in_a_circle_are_an_error() -> None:
    axes = (AxisDef("item", ItemDef("i", match="%{item.match}")), AxisDef("dim", ItemDef("d")))
    with pytest.raises(ParseError, match="cycle"):
        PlaceholderScope(axes, 1).compile("%{item.match}")


def test_constants_that_name_each_other_cannot_multiply_without_end() -> None:
    values = ["x"] + [f"%{{dim.d{n}.value}}" * 9 for n in range(8)]
    axes = [AxisDef("dim", ItemDef(f"d{n}", value=value)) for n, value in enumerate(values)]
    assert PlaceholderScope(axes, 0).compile("%{dim.d2.value}").text == "x" * 81
    with pytest.raises(ParseError, match="multiply without end"):
        PlaceholderScope(axes, 0).compile("%{dim.d8.value}")


def test_values_of_the_page_that_name_each_other_stay_as_they_are() -> None:
    values = ["x"] + [f"%{{dim.d{n}.value}}" * 9 for n in range(8)]
    axes = [AxisDef("dim", ItemDef(f"d{n}", selector="p")) for n in range(9)] + [
        AxisDef("fact", ItemDef("f"))
    ]
    template = PlaceholderScope(axes, 9).compile("%{dim.d8.value}")
    assert template.render([1] * 10, [*values, None]) == f"\0{values[8]}\0"


def test_values_cannot_blow_a_text_up() -> None:
    template = PlaceholderScope(AXES, 3).compile("%{dim.place.value}" * 100)
    with pytest.raises(ParseError, match="longer than"):
        template.render(INDEXES, (None, None, "x" * 20_000, None))
