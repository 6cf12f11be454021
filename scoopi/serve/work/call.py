"""call: calls an attempt's function with the inputs that it has parameters for, and reports its result."""

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
from scoopi.model.text.secrets import variable_of
from scoopi.scheduler.outcomes import AttemptOutcome, HandedBack, Noop, NotReady

ANSWERS = 3
"""The descriptor on which a function reports."""
_PROGRESS_S = 1.0


class SlotView(NamedTuple):
    """The slot of an attempt: its key, and its start and end in RFC 3339."""

    key: str
    start: str
    end: str


class Context:
    """The parameter `context` of a function: describes its attempt, and reports progress.

    Attributes:
        attempt: the id of the attempt, `process/slot/number`.
        slot: the slot, with `key`, `start` and `end`.
        folder: a folder for the attempt's own files; the current folder, unless `cwd` is `project`.
        spec: the spec of the attempt, as `AttemptEnvironment.spec` makes it.
        previous: the data that this attempt, or else the one before it of the same job, last reported as
            progress.
        is_whole: whether the result counts; None (the default): it counts unless the function was asked to
            stop before it returned.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self.attempt: str = spec["attempt"]
        self.slot = SlotView(*spec["slot"])
        self.folder: str = spec["folder"]
        self.spec = spec
        self.previous: dict[str, Any] = spec.get("previous", {})
        self.is_whole: bool | None = None
        self._is_canceled = False
        self._reported = 0.0
        signal.signal(signal.SIGTERM, self._cancel)

    def progress(self, **data: Any) -> None:
        """Report progress, which resets `timeout.heartbeat`; further calls within a second do nothing.

        Args:
            data: values for JSON that a later attempt finds in `previous`, to continue from there.
        """
        if time.monotonic() - self._reported >= _PROGRESS_S:
            self._reported = time.monotonic()
            _report({"progress": data})

    def is_canceled(self) -> bool:
        """Whether the function should return soon, because it is cancelled or its worker shuts down."""
        return self._is_canceled

    def counts(self) -> bool:
        """Return whether the result counts; see `is_whole`."""
        return not self._is_canceled if self.is_whole is None else self.is_whole

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Register a callback for the moment when `is_canceled` becomes true; it interrupts the function."""
        self._callback = callback

    _callback: Callable[[], object] | None = None

    def _cancel(self, number: int, frame: object) -> None:
        self._is_canceled = True
        if self._callback is not None:
            self._callback()


def call(spec: dict[str, Any]) -> int:
    """Call the function of a spec and report the result: `status`, `outputs` and `explanation`.

    Returns:
        The exit code of the process, 0.
    """
    if is_ready(spec):
        _is_answered(spec, _worked)
    return 0


def is_ready(spec: dict[str, Any]) -> bool:
    """Check whether an attempt may start: whether it has new input, then `prepare` and the probes.

    Returns:
        Whether the work may start; if not, the reason was reported.
    """
    return not spec.get("checks") or not _is_answered(spec, _checked)


def _is_answered(
    spec: dict[str, Any], ask: Callable[[dict[str, Any], list[Context]], dict[str, Any] | None]
) -> bool:
    """Call `ask`, and report its answer, or the exception that it raises.

    Returns:
        Whether something was reported; False if `ask` returned None.
    """
    contexts: list[Context] = []
    try:
        answer = ask(spec, contexts)
        json.dumps(answer)
    except AttemptOutcome as outcome:
        answer = {"status": outcome.status, "explanation": str(outcome), "outputs": outcome.outputs}
    except ScoopiError as error:
        answer = {"status": "error", "explanation": str(error)}
    except BaseException as error:
        _print_traceback(error)
        answer = {"status": "error", "explanation": f"{type(error).__name__}: {error}".rstrip(": ")}
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if answer is None:
        return False
    answer["is_whole"] = all(context.counts() for context in contexts)
    _report({"answer": answer})
    return True


def _worked(spec: dict[str, Any], contexts: list[Context]) -> dict[str, Any]:
    outputs = _called(spec["call"], spec["inputs"], spec, contexts)
    if outputs is not None and not isinstance(outputs, dict):
        raise TypeError(f"it returned {type(outputs).__name__}; return a dict of outputs, or nothing")
    return {"status": "succeeded", "outputs": outputs or {}}


def _checked(spec: dict[str, Any], contexts: list[Context]) -> None:
    """Check all conditions in order.

    Raises:
        AttemptOutcome: the work must not begin.
    """
    inputs = {name: os.environ.get(variable_of(text) or "", text) for name, text in spec["inputs"].items()}
    for check in spec["checks"]:
        ((kind, what),) = check.items()
        if kind == "path":
            if not what or not os.path.exists(what):
                raise NotReady(f"{what or 'the path of path_exists'} does not exist")
            continue
        answer = _called(what, inputs, spec, contexts)
        if any(context.is_canceled() for context in contexts):
            raise HandedBack("stopped before the work began")
        if kind == "prepare":
            continue
        if not isinstance(answer, bool):
            raise TypeError(f"{kind} {what} returned {type(answer).__name__}; return True or False")
        if not answer and kind == "new_input":
            raise Noop("no new input")
        if not answer:
            raise NotReady(f"probe {what} returned False")


def _called(name: str, inputs: dict[str, Any], spec: dict[str, Any], contexts: list[Context]) -> Any:
    """Call a function with the inputs that it has parameters for; with `**` it gets all of them.

    If it has the parameter `context`, its Context is added to `contexts`.
    """
    module, _, function_name = name.partition(":")
    function = getattr(import_module(module), function_name)
    parameters = inspect.signature(function).parameters
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
        raise TypeError(f"{name} needs the inputs {', '.join(missing)}, which the process does not have")
    if "context" in parameters:
        arguments["context"] = Context(spec)
        contexts.append(arguments["context"])
    return function(**arguments)


def _print_traceback(error: BaseException) -> None:
    """Print the traceback of an error, without the frames of Scoopi that called the function."""
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
