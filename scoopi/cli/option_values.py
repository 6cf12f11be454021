"""Types of options that several verbs have: each turns a text into a value, or says what is needed."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from math import isfinite

_GROUPS = re.compile(r"[A-Za-z][\w-]*(,[A-Za-z][\w-]*)*", re.ASCII)
_WORKER = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)


def group_names(text: str) -> tuple[str, ...]:
    """The names of worker groups in the value of an option.

    Raises:
        ArgumentTypeError: a name is not valid.
    """
    if not _GROUPS.fullmatch(text):
        raise ArgumentTypeError(f"needs names separated by commas, got {text!r}; for example big,default")
    return tuple(dict.fromkeys(text.split(",")))


def worker_name(text: str) -> str:
    """The name of a worker, as a host name: it is part of keys and file names.

    Raises:
        ArgumentTypeError: the text is no such name.
    """
    if not _WORKER.fullmatch(text):
        raise ArgumentTypeError(f"needs letters, digits, . _ and -, as a host name has, got {text!r}")
    return text


def at_least_one(text: str) -> int:
    """A whole number from 1.

    Raises:
        ArgumentTypeError: the text is another value.
    """
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ArgumentTypeError(f"needs a whole number from 1, got {text!r}")
    return int(text)


def capacity(text: str) -> float:
    """A number from 0.

    Raises:
        ArgumentTypeError: the text is another value.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if number < 0 or not isfinite(number):
        raise ArgumentTypeError(f"needs a number from 0, got {text!r}")
    return number
