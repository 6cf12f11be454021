"""call: calls the function of an attempt with the inputs that it names, and reports what it returns."""

from __future__ import annotations

import inspect
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from scoopi.errors import ScoopiError
from scoopi.scheduler.outcomes import AttemptOutcome
from scoopi.serve.work.child import ANSWERS

_PROGRESS_S = 1.0


class SlotView(NamedTuple):
    """The slot of an attempt: its text, and start and end in RFC 3339."""

    key: str
    start: str
    end: str


class Context:
    """What a function may know and report, if it has a parameter `context`.

    Attributes:
        attempt: the id of the attempt, `process/slot/number`.
        slot: with `key`, `start` and `end`.
        folder: of the attempt, for files of its own; the current folder, unless `cwd` is `project`.
        order: what its worker wants done.
        is_whole: whether the result counts although the function was asked to stop; by default it does if
            the function returned before that.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self.attempt: str = order["attempt"]
        self.slot = SlotView(*order["slot"])
        self.folder: str = order["folder"]
        self.order = order
        self.is_whole: bool | None = None
        self._is_canceled = False
        self._reported = 0.0
        signal.signal(signal.SIGTERM, self._cancel)

    def progress(self) -> None:
        """Report progress, for `timeout.heartbeat`; more often than once a second is free."""
        if time.monotonic() - self._reported >= _PROGRESS_S:
            self._reported = time.monotonic()
            _report({"progress": True})

    def is_canceled(self) -> bool:
        """Whether the function should return soon: it is cancelled, or its worker shuts down."""
        return self._is_canceled

    def counts(self) -> bool:
        """Whether the result counts."""
        return not self._is_canceled if self.is_whole is None else self.is_whole

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have a function called when `is_canceled` becomes true, between two instructions of the caller."""
        self._callback = callback

    _callback: Callable[[], object] | None = None

    def _cancel(self, number: int, frame: object) -> None:
        self._is_canceled = True
        if self._callback is not None:
            self._callback()


def call(order: dict[str, Any]) -> int:
    """Call the function of an order and report its answer: `status`, `outputs`, `explanation`.

    Returns:
        The exit code of the process.
    """
    contexts: list[Context] = []
    try:
        outputs = _called(order, contexts)
        answer = {"status": "succeeded", "outputs": {} if outputs is None else outputs}
        if not isinstance(answer["outputs"], dict):
            raise TypeError(f"it returned {type(outputs).__name__}; return a dict of outputs, or nothing")
        json.dumps(answer)
    except AttemptOutcome as outcome:
        answer = {"status": outcome.status, "explanation": str(outcome), "outputs": outcome.outputs}
    except ScoopiError as error:
        answer = {"status": "error", "explanation": str(error)}
    except BaseException as error:
        _print_traceback(error)
        answer = {"status": "error", "explanation": f"{type(error).__name__}: {error}".rstrip(": ")}
    answer["is_whole"] = all(context.counts() for context in contexts)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    _report({"answer": answer})
    return 0


def _called(order: dict[str, Any], contexts: list[Context]) -> Any:
    module, _, name = order["call"].partition(":")
    function = getattr(import_module(module), name)
    parameters = inspect.signature(function).parameters
    inputs = order["inputs"]
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    arguments = {key: value for key, value in inputs.items() if takes_all or key in parameters}
    missing = [
        key
        for key, each in parameters.items()
        if key not in arguments
        and key != "context"
        and each.default is each.empty
        and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
    ]
    if missing:
        raise TypeError(
            f"{order['call']} needs the inputs {', '.join(missing)}, which the process does not have"
        )
    if "context" in parameters:
        arguments["context"] = Context(order)
        contexts.append(arguments["context"])
    return function(**arguments)


def _print_traceback(error: BaseException) -> None:
    """The frames of the function, without those of Scoopi that called it."""
    frames = error.__traceback__
    while (
        frames is not None and frames.tb_next is not None and frames.tb_frame.f_code.co_filename == __file__
    ):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def _report(message: dict[str, Any]) -> None:
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(ANSWERS, data) :]
