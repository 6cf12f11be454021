"""Placeholders name axes and their properties; what cannot be known stays as written."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError
from scoopi.model.data_def import ItemDef
from scoopi.parse.placeholder import AxisDef, PlaceholderScope
from scoopi.parse.placeholder_template import Leftover

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


def test_a_text_tells_which_placeholders_can_never_be_resolved() -> None:
    pieces = PlaceholderScope(AXES, 0).compile("%{dim.place.value} %{dim.match} %{index}").pieces
    assert [piece for piece in pieces if isinstance(piece, Leftover)] == [
        Leftover("%{dim.place.value}"),
        Leftover("%{dim.match}"),
    ]


def test_values_that_hold_placeholders_are_expanded_and_unknown_ones_left() -> None:
    assert rendered("<%{dim.place.value}>", values=(None, None, "%{item.index}-%{nope}-%%{index}", None)) == (
        "<4-%{nope}-%{index}>"
    )


def test_constants_that_hold_placeholders_are_expanded() -> None:
    axes = (AxisDef("item", ItemDef("i", value="[%{dim.index}]")), AxisDef("dim", ItemDef("d")))
    assert PlaceholderScope(axes, 1).compile("%{item.value}").render((1, 9), (None, None)) == "[9]"


def test_placeholders_that_go_round_in_a_circle_are_an_error() -> None:
    axes = (AxisDef("item", ItemDef("i", match="%{item.match}")), AxisDef("dim", ItemDef("d")))
    with pytest.raises(ParseError, match="circle"):
        PlaceholderScope(axes, 1).compile("%{item.match}")
    with pytest.raises(ParseError, match="circle"):
        rendered("%{dim.place.value}", values=(None, None, "%{dim.place.value}", None))


def test_constants_that_name_each_other_cannot_multiply_without_end() -> None:
    values = ["x"] + [f"%{{dim.d{n}.value}}" * 9 for n in range(8)]
    axes = [AxisDef("dim", ItemDef(f"d{n}", value=value)) for n, value in enumerate(values)]
    assert PlaceholderScope(axes, 0).compile("%{dim.d2.value}").text == "x" * 81
    with pytest.raises(ParseError, match="multiply without end"):
        PlaceholderScope(axes, 0).compile("%{dim.d8.value}")


def test_values_that_name_each_other_cannot_multiply_without_end() -> None:
    values = ["x"] + [f"%{{dim.d{n}.value}}" * 9 for n in range(8)]
    axes = [AxisDef("dim", ItemDef(f"d{n}", selector="p")) for n in range(9)] + [
        AxisDef("fact", ItemDef("f"))
    ]
    template = PlaceholderScope(axes, 9).compile("%{dim.d8.value}")
    with pytest.raises(ParseError, match="multiply without end"):
        template.render([1] * 10, [*values, None])


def test_values_cannot_blow_a_text_up() -> None:
    axes = [AxisDef("item", ItemDef("i0"))] + [AxisDef("dim", ItemDef(f"d{n}")) for n in range(6)]
    values = ["x" * 100] + [f"%{{{'item.i0' if n == 0 else f'dim.d{n - 1}'}.value}}" * 100 for n in range(6)]
    template = PlaceholderScope([*axes, AxisDef("fact", ItemDef("fact"))], 7).compile("%{dim.d5.value}")
    with pytest.raises(ParseError, match="longer than"):
        template.render([1] * 8, [*values, None])
