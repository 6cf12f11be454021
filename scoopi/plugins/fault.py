"""Fault: what went wrong in a user's Python code, and at which of its lines."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """The error in one line, and `file:line` in the user's code (empty if it is not there)."""

    what: str
    at: str


def fault_of(error: BaseException, is_users: Callable[[str], bool]) -> Fault:
    """Describe an error that was raised in, or below, files for which `is_users` holds."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename and is_users(error.filename):
        return Fault(f"{type(error).__name__}: {error.msg}", f"{error.filename}:{error.lineno}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]
    return Fault(what, f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "")
