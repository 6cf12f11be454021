"""Types of options that several verbs have: each converts a text, or reports what is needed."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from math import isfinite

_GROUPS = re.compile(r"[A-Za-z][\w-]*(,[A-Za-z][\w-]*)*", re.ASCII)
_WORKER = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)


def group_names(text: str) -> tuple[str, ...]:
    """Split the names of worker groups, which are separated by commas.

    Raises:
        ArgumentTypeError: a name is not valid.
    """
    if not _GROUPS.fullmatch(text):
        raise ArgumentTypeError(f"needs names separated by commas, got {text!r}; for example big,default")
    return tuple(dict.fromkeys(text.split(",")))


def worker_name(text: str) -> str:
    """Check the name of a worker, which is used in keys and file names, and return it.

    Raises:
        ArgumentTypeError: it has other characters than ASCII letters, digits, `.`, `_` and `-`, begins with
            one of these signs, is empty, or is longer than 100 characters.
    """
    if not _WORKER.fullmatch(text):
        raise ArgumentTypeError(f"needs letters, digits, . _ and -, as a host name has, got {text!r}")
    return text


def at_least_one(text: str) -> int:
    """Convert a text to a whole number.

    Raises:
        ArgumentTypeError: it is not a whole number, or less than 1.
    """
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ArgumentTypeError(f"needs a whole number from 1, got {text!r}")
    return int(text)


def capacity(text: str) -> float:
    """Convert a text to a number, which may have a fraction.

    Raises:
        ArgumentTypeError: it is not a number, negative or infinite.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if number < 0 or not isfinite(number):
        raise ArgumentTypeError(f"needs a number from 0, got {text!r}")
    return number
