"""DataScript: a JavaScript function that changes the rows of a page."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.model.data import Axis, Data, Item
from scoopi.script.sandbox import Sandbox

_HOSTS = Path(__file__).with_name("data.js").read_text(encoding="utf-8")


class DataScript:
    """Loads its sources once per thread and calls their entry point with each page's data.

    Globals persist from page to page, as in an engine kept in a pool; a call that fails in a used
    sandbox is tried once more in a new one, so that no page fails for what pages before it left behind.

    Args:
        sources: script texts in the order of their loading.
        entry_point: name of the function; it gets the data and returns it, or a list of its items.
    Source: language, B 4.5 and A13.
    """

    def __init__(self, sources: Sequence[str], entry_point: str, limits: ScriptLimits) -> None:
        self._sources = tuple(sources)
        self._entry_point = entry_point
        self._limits = limits
        self._loaded = threading.local()

    def __call__(self, data: Data) -> Data:
        """The data as the script returns it: values set, rows dropped or reordered.

        Raises:
            ScriptError: the script failed, met a limit, or returned nothing or something that is no data.
        """
        page = _to_json(data)
        call = getattr(self._loaded, "call", None)
        if call is not None:
            try:
                return _from_json(call(page), data)
            except ScriptError:
                self._loaded.call = None
        call = self._load()
        changed = _from_json(call(page), data)
        self._loaded.call = call
        return changed

    def _load(self) -> Any:
        sandbox = Sandbox(self._limits)
        run = sandbox.load(_HOSTS)
        for source in self._sources:
            sandbox.load(source)
        entry = sandbox.load(f'typeof {self._entry_point} === "function" ? {self._entry_point} : null')
        if entry is None:
            raise ScriptError(
                f"scripts define no function {self._entry_point}",
                hint="define it, or name another function as entryPoint",
            )
        return lambda page: sandbox.guard(lambda: run(entry, page), self._entry_point)


def _to_json(data: Data) -> str:
    heads: list[tuple[Axis, ...]] = []
    numbers: dict[int, int] = {}
    rows = []
    for item in data.items:
        number = numbers.get(id(item.axes))
        if number is None:
            number = numbers[id(item.axes)] = len(heads)
            heads.append(item.axes)
        rows.append((number, item.values, item.indexes))
    titles = [[(axis.axis_name, axis.item_name, axis.order, axis.match) for axis in head] for head in heads]
    return msgspec.json.encode({"name": data.data_def, "heads": titles, "rows": rows}).decode()


def _from_json(answer: str, data: Data) -> Data:
    items = []
    for position, *values in json.loads(answer):
        item = data.items[position]
        items.append(Item(item.axes, tuple(values[0]), item.indexes) if values else item)
    return data.with_items(items)
