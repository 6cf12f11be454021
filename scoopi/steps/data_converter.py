"""DataConverter: the step that converts the values of items by plugins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoopi.errors import ConvertError, StepError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.failure import Failure
from scoopi.model.handover import Handover, ToTask
from scoopi.model.payload import Payload
from scoopi.model.place import NOWHERE, Place
from scoopi.plugins.ports import Converter
from scoopi.plugins.step_fields import OnError
from scoopi.steps.step import Step

_SHOWN_VALUES = 5


class Conversion(NamedTuple):
    """A converter plugin as a step uses it.

    Attributes:
        item_name: the item whose values it converts.
        on_error: what becomes of a value that it cannot read.
        converter: the plugin as constructed.
        plugin_name: its name in the definition, for messages.
        place: where its definition stands.
    """

    item_name: str
    on_error: OnError
    converter: Converter
    plugin_name: str
    place: Place = NOWHERE


class DataConverter(Step):
    """Gives the values of each named item to its converter; several for one item act in their order.

    Of a value that cannot be read (null is none that can) `keep` leaves it and warns, `blank` makes it
    empty, `drop` drops its row, `fail` fails the task.

    Source: language, B 4.5 and A16.
    """

    def __init__(self, conversions: Sequence[Conversion]) -> None:
        self._conversions = [Conversion(*conversion) for conversion in conversions]

    def run(self, payload: Payload) -> Handover:
        """The payload with the converted rows, and a warning for each plugin that left values as they were.

        Raises:
            ConvertError: a value cannot be read, and the plugin says that this fails the task.
            StepError: a row has no item of that name; a converter gave what is no text.
        """
        data = payload.expect(Data)
        items: Sequence[Item] = data.items
        warnings: list[Failure] = []
        for conversion in self._conversions:
            work = _Work(conversion)
            items = [kept for item in items if (kept := work.converted(item)) is not None]
            warnings += work.warnings()
        return ToTask(payload.advance(data.with_items(list(items))), tuple(warnings))


class _Work:
    """One conversion over the rows of one page; a value that stands in many rows is converted once."""

    def __init__(self, conversion: Conversion) -> None:
        self._conversion = conversion
        self._axes: tuple[Axis, ...] | None = None
        self._position = 0
        self._results: dict[str | None, str | ConvertError] = {}
        self._unread = 0
        self._faults: dict[str, None] = {}

    def converted(self, item: Item) -> Item | None:
        """The row with its value converted; None when the row is dropped."""
        if item.axes is not self._axes and item.axes != self._axes:
            self._position = self._position_in(item.axes)
            self._axes = item.axes
        position = self._position
        value = item.values[position]
        result: str | ConvertError | None = self._results.get(value)
        if result is None:
            result = self._results[value] = self._convert(value)
        if isinstance(result, ConvertError):
            if self._conversion.on_error == "drop":
                return None
            result = self._instead(value, result)
        if result == value:
            return item
        values = (*item.values[:position], result, *item.values[position + 1 :])
        return Item(item.axes, values, item.indexes)  # a third of the time that _replace takes

    def warnings(self) -> list[Failure]:
        """At most one: how many values stayed as they were, and the first of them."""
        if not self._unread:
            return []
        name, item = self._conversion.plugin_name, self._conversion.item_name
        faults = list(self._faults)
        if len(faults) > _SHOWN_VALUES:
            faults[_SHOWN_VALUES:] = ["…"]
        left = f"converter {name} left {self._unread} value(s) of {item} as they were"
        return [
            Failure(
                cause=f"converter {name} left values of {item} as they were",
                message=f"{left}: {'; '.join(faults)}; "
                "fix the plugin, or tell it onError: fail, drop or blank",
                at=str(self._conversion.place),
            )
        ]

    def _convert(self, value: str | None) -> str | ConvertError:
        if value is None:
            return ConvertError("null cannot be converted", hint="filter such rows out before")
        try:
            result: object = self._conversion.converter.convert(value)
        except ConvertError as error:
            return error
        if isinstance(result, str):
            return result
        name, made = self._conversion.plugin_name, type(result).__name__
        raise StepError(
            f"converter {name} made {made} of {value!r}, and not a text",
            at=str(self._conversion.place),
            hint="have convert return a str",
            cause=f"converter {name} made {made}, and not a text",
        )

    def _instead(self, value: str | None, error: ConvertError) -> str | None:
        match self._conversion.on_error:
            case "fail":
                name = self._conversion.plugin_name
                raise ConvertError(
                    f"converter {name}: {error.what}",
                    at=error.at or str(self._conversion.place),
                    hint=error.hint,
                    cause=f"converter {name} cannot read a value of {self._conversion.item_name}",
                ) from None
            case "blank":
                return ""
        self._unread += 1
        if len(self._faults) <= _SHOWN_VALUES:
            self._faults.setdefault(error.what)
        return value

    def _position_in(self, axes: tuple[Axis, ...]) -> int:
        for position, axis in enumerate(axes):
            if axis.item_name == self._conversion.item_name:
                return position
        names = ", ".join(axis.item_name for axis in axes)
        raise StepError(
            f"converter {self._conversion.plugin_name}: a row has no item {self._conversion.item_name}",
            at=str(self._conversion.place),
            hint=f"name one of {names}",
        )
