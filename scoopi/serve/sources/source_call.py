"""source_call: the process that calls one source for its current iterations."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime
from importlib import import_module
from typing import Any

from scoopi.descendants import die_with_parent
from scoopi.periods.slot import MOST_NUMBER


def main() -> int:
    """Read the request from standard input, call the source, and write the numbers of iterations as JSON.

    The request is JSON with `parent` (a process id), `project` (a folder), `source` (`module:Class`), `now`
    (in RFC 3339), `lookback`, and `answer`, the file descriptor to write to. Returns the exit code, 0.
    """
    request = json.load(sys.stdin)
    die_with_parent(request["parent"])
    os.chdir(request["project"])
    sys.path.insert(0, request["project"])
    module, _, name = request["source"].partition(":")
    source = getattr(import_module(module), name)()
    window = window_of(source, datetime.fromisoformat(request["now"]), request["lookback"])
    with open(request["answer"], "wb") as answer:
        answer.write(json.dumps(window).encode())
    return 0


def window_of(source: Any, now: datetime, lookback: int) -> list[int]:
    """Return the numbers of the current iteration and of up to `lookback` earlier ones, in ascending order.

    Raises:
        TypeError: the source returns anything but whole numbers or None.
        ValueError: a number is too large for a slot.
    """
    current = _number("current", source.current(now))
    if current is None:
        return []
    found = {current}
    for step in range(1, lookback + 1):
        number = _number("previous", source.previous(current, step))
        if number is None:
            break
        found.add(number)
    return sorted(number for number in found if number >= 0)


def _number(method: str, value: object) -> int | None:
    if isinstance(value, int) and value > MOST_NUMBER:
        raise ValueError(f"{method} returned a number of more than 18 digits")
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError(f"{method} returned {type(value).__name__}; return a whole number, or None")


if __name__ == "__main__":
    sys.exit(main())
