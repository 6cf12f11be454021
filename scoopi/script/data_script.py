"""DataScript: a JavaScript function that changes the rows of a page."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.decoders import json_decoder
from scoopi.script.entry_script import EntryScript
from scoopi.script.harmless_script import is_harmless
from scoopi.script.sandbox import Sandbox

DATA_HOSTS = Path(__file__).with_name("data.js").read_text(encoding="utf-8")
_CHANGED = json_decoder(tuple[list[int], list[tuple[str | None, ...]]])
"""The rows that a script returns: their positions (-1 - position if changed), and values of changed ones."""


class DataScript:
    """A JavaScript function that changes the rows of a page.

    Its sources are loaded once per thread, and their entry point is called with the data of each page.

    Variables persist from page to page. If a page changes JavaScript's own functions or objects, the next
    page gets a new sandbox. A call that fails in a used sandbox is retried once in a new one, so that no
    page fails because of earlier pages.

    Args:
        sources: script texts in the order in which they are loaded.
        entry_point: name of the function; it gets the data and returns the data or a list of its items.
    Source: defs/README.md, 4.5.
    """

    def __init__(self, sources: Sequence[str], entry_point: str, limits: ScriptLimits) -> None:
        self._script = EntryScript(sources, entry_point)
        self._limits = limits
        self._is_harmless = all(map(is_harmless, sources))
        self._loaded = threading.local()

    def __call__(self, data: Data) -> Data:
        """Run the script; return the data with its changes: values set, rows dropped or reordered.

        Raises:
            ScriptError: the script failed, met a limit, or returned nothing or something other than data.
        """
        page = _to_json(data)
        sandbox: Sandbox | None = getattr(self._loaded, "sandbox", None)
        self._loaded.sandbox = None
        if sandbox is not None:
            try:
                return self._changed(sandbox, page, data)
            except ScriptError:
                pass  # perhaps because of what an earlier page left behind
        return self._changed(self._load(), page, data)

    def _changed(self, sandbox: Sandbox, page: tuple[str, str], data: Data) -> Data:
        answer = sandbox.call("run", *page, entry=self._script.entry_point, own_line=self._script.own_line)
        changed = _from_json(str(answer), data)
        if self._is_harmless or sandbox.call("isAsLoaded") == "true":
            self._loaded.sandbox = sandbox
        return changed

    def _load(self) -> Sandbox:
        return self._script.load(Sandbox(self._limits, DATA_HOSTS))


def _to_json(data: Data) -> tuple[str, str]:
    """The rows and their indexes; these apart, because few scripts need them."""
    heads: list[tuple[Axis, ...]] = []
    numbers: dict[int, int] = {}
    of_rows = []
    for item in data.items:
        number = numbers.get(id(item.axes))
        if number is None:
            number = numbers[id(item.axes)] = len(heads)
            heads.append(item.axes)
        of_rows.append(number)
    rows = {
        "name": data.data_def,
        "heads": [
            [(axis.axis_name, axis.item_name, axis.order, axis.match) for axis in head] for head in heads
        ],
        "numbers": of_rows if len(heads) > 1 else None,
        "rows": [item.values for item in data.items],
    }
    indexes = [item.indexes for item in data.items]
    return msgspec.json.encode(rows).decode(), msgspec.json.encode(indexes).decode()


def _from_json(answer: str, data: Data) -> Data:
    items, former, make = [], data.items, tuple.__new__
    try:
        places, changed = _CHANGED.decode(answer)
        values = iter(changed)
        for place in places:
            if place >= 0:
                items.append(former[place])
                continue
            axes, before, indexes = former[-1 - place]
            row = next(values)
            if len(row) != len(before):
                raise ValueError(f"a row of {len(before)} values has {len(row)}")
            items.append(make(Item, (axes, row, indexes)))  # takes a third of the time of Item(…)
    except (msgspec.DecodeError, IndexError, StopIteration, ValueError) as error:
        raise ScriptError(
            f"script returned rows that cannot be read: {error}",
            hint="return the data, or a list of its items",
        ) from None
    return data.with_items(items)
