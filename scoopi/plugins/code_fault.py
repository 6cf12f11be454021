"""CodeFault: an error in a user's Python code, and the line that raised it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeFault:
    """The error in one line, and `file:line` in the user's code (empty if it was raised elsewhere)."""

    what: str
    at: str


def fault_of(error: BaseException, is_users: Callable[[str], bool]) -> CodeFault:
    """Describe an error that was raised in, or below, files for which `is_users` holds."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename and is_users(error.filename):
        return CodeFault(f"{type(error).__name__}: {error.msg}", f"{error.filename}:{error.lineno}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]
    return CodeFault(what, f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "")
