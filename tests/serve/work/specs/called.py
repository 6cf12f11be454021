"""Functions as the attempts of a process call them."""

from __future__ import annotations

from typing import Any

from scoopi.errors import UsageError
from scoopi.scheduler.outcomes import NotReady
from scoopi.serve.work.call import Context


def adds(a: int, b: int = 10) -> dict[str, int]:
    return {"sum": a + b}


def takes_all(**inputs: Any) -> dict[str, Any]:
    return inputs


def returns_nothing() -> None:
    print("worked")


def returns_a_list() -> list[int]:
    return [1]


def returns_what_json_lacks() -> dict[str, object]:
    return {"a": object()}


def is_not_ready() -> None:
    raise NotReady("the file is not there yet")


def is_refused() -> None:
    raise UsageError("no such shop", hint="look at the list")


def breaks() -> None:
    raise KeyError("price")


def exits() -> None:
    raise SystemExit(3)


def knows(context: Context) -> dict[str, Any]:
    context.progress()
    context.progress()
    return {"attempt": context.attempt, "slot": context.slot.key, "start": context.slot.start}


def may_begin(context: Context) -> bool:
    return not context.is_canceled()


def is_canceled(context: Context, is_whole: str = "") -> dict[str, bool]:
    called: list[bool] = []
    context.on_cancel(lambda: called.append(True))
    import os
    import signal

    os.kill(os.getpid(), signal.SIGTERM)
    if is_whole:
        context.is_whole = is_whole == "yes"
    return {"is_canceled": context.is_canceled(), "called": bool(called)}
