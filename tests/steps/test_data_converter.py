"""DataConverter: values of named items are converted, and `onError` decides about the others."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import ConvertError, StepError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Locator
from scoopi.model.place import Place
from scoopi.plugins.parameters import OnError
from scoopi.steps.data_converter import DataConverter, ItemConversion

AXES = (Axis("item", "day", 1), Axis("dim", "hour", 2))


class Doubler:
    """Doubles numbers; other texts it cannot read."""

    def convert(self, value: str) -> str:
        if not value.isdigit():
            raise ConvertError(f"{value!r} is not a number", hint="write digits")
        return str(2 * int(value))


class Suffix:
    def convert(self, value: str) -> str:
        return f"{value}!"


def rows(*values: str | None) -> Data:
    return Data("d", tuple(Item(AXES, (value, "x"), (number, 1)) for number, value in enumerate(values, 1)))


def doubling(on_error: OnError, item: str = "day") -> ItemConversion:
    return ItemConversion(item, on_error, Doubler(), "twice", Place("d.yml", 4, 9))


def run(data: Data, *conversions: ItemConversion) -> ToTask:
    handover = DataConverter(conversions).run(Payload("7", Locator("l", "g", "u"), 1, "t", data))
    assert isinstance(handover, ToTask)
    return handover


def values(handover: ToTask) -> list[str | None]:
    return [item.values[0] for item in handover.payload.expect(Data).items]


def test_values_of_the_item_are_converted_and_others_stay() -> None:
    handover = run(rows("1", "20"), doubling("keep"))
    assert [item.values for item in handover.payload.expect(Data).items] == [("2", "x"), ("40", "x")]
    assert handover.warnings == ()


def test_a_value_of_many_rows_is_converted_once_and_each_row_is_counted() -> None:
    asked: list[str] = []

    class Noted(Doubler):
        def convert(self, value: str) -> str:
            asked.append(value)
            return super().convert(value)

    conversion = ItemConversion("day", "keep", Noted(), "twice")
    handover = run(rows("1", "x", "1", "x", "1"), conversion)
    assert asked == ["1", "x"]
    assert values(handover) == ["2", "x", "2", "x", "2"]
    (warning,) = handover.warnings
    assert "left 2 value(s)" in warning.message


def test_several_plugins_for_an_item_act_in_their_order() -> None:
    suffix = ItemConversion("day", "keep", Suffix(), "suffix")
    assert values(run(rows("1"), doubling("keep"), suffix)) == ["2!"]
    assert values(run(rows("1"), suffix, doubling("keep"))) == ["1!"]


def test_unchanged_rows_are_the_same_rows() -> None:
    data = rows("0", "1")
    first, second = run(data, doubling("keep")).payload.expect(Data).items
    assert first is data.items[0]
    assert second is not data.items[1]


def test_keep_leaves_the_value_and_warns_once_with_count_and_first_values() -> None:
    handover = run(rows("a", "1", "b", None, "a"), doubling("keep"))
    assert values(handover) == ["a", "2", "b", None, "a"]
    (warning,) = handover.warnings
    assert "left 4 value(s) of day unconverted" in warning.message
    assert "'a' is not a number; 'b' is not a number; null cannot be converted" in warning.message
    assert warning.at == "d.yml:4:9"
    assert "4" not in warning.cause


def test_a_warning_shows_five_values_at_most() -> None:
    (warning,) = run(rows(*"abcdefgh"), doubling("keep")).warnings
    assert "'e' is not a number; …" in warning.message
    assert "'f'" not in warning.message


def test_drop_removes_the_row() -> None:
    handover = run(rows("a", "1", None), doubling("drop"))
    assert values(handover) == ["2"]
    assert handover.warnings == ()


def test_blank_empties_the_value() -> None:
    handover = run(rows("a", "1", None), doubling("blank"))
    assert values(handover) == ["", "2", ""]
    assert handover.warnings == ()


def test_fail_fails_the_task_and_names_plugin_value_and_place() -> None:
    with pytest.raises(ConvertError, match="converter twice: 'a' is not a number") as caught:
        run(rows("1", "a"), doubling("fail"))
    assert (caught.value.at, caught.value.hint) == ("d.yml:4:9", "write digits")


def test_values_of_any_text_that_fail_have_one_cause() -> None:
    causes = set()
    for text in ("a", "b"):
        with pytest.raises(ConvertError) as caught:
            run(rows("1", text), doubling("fail"))
        causes.add(caught.value.cause)
    assert causes == {"converter twice cannot read a value of day"}


@pytest.mark.parametrize("made", [7, None])
def test_a_converter_that_returns_no_str_fails_the_task_by_its_name(made: Any) -> None:
    class Wrong:
        def convert(self, value: str) -> str:
            wrong: str = made
            return wrong

    with pytest.raises(
        StepError, match=rf"wrong returned {type(made).__name__} for '1', not a str"
    ) as caught:
        run(rows("1"), ItemConversion("day", "keep", Wrong(), "wrong", Place("d.yml", 4, 9)))
    assert caught.value.at == "d.yml:4:9"


def test_a_row_without_the_item_fails_the_task() -> None:
    with pytest.raises(StepError, match=r"no item month; name one of day, hour"):
        run(rows("1"), doubling("keep", item="month"))


def test_rows_of_different_templates_are_converted_at_their_own_position() -> None:
    turned = Item(tuple(reversed(AXES)), ("x", "3"), (1, 1))
    items = run(rows("1").with_items([*rows("1").items, turned]), doubling("keep")).payload.expect(Data).items
    assert [item.values for item in items] == [("2", "x"), ("x", "6")]


def test_no_rows_raise_no_error() -> None:
    assert values(run(rows(), doubling("fail", item="month"))) == []
