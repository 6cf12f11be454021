"""Terminal: where data and messages go, and whether messages have colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO

from scoopi.errors import AppenderError

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Terminal:
    """stdout for data, stderr for messages; bound to the streams of the process unless others are given."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._out = out
        self._err = err
        self.environ: Mapping[str, str] = os.environ if environ is None else environ

    @property
    def out(self) -> TextIO:
        """The stream of data."""
        return self._out or sys.stdout

    @property
    def err(self) -> TextIO:
        """The stream of messages; asked for anew each time, as a progress line puts its own in its place."""
        return self._err or sys.stderr

    @property
    def is_live(self) -> bool:
        """Whether messages can be redrawn in place."""
        return self.err.isatty() and self.environ.get("TERM", "") not in ("", "dumb")

    @property
    def has_colours(self) -> bool:
        """NO_COLOR wins over FORCE_COLOR, that over what the stream is."""
        if self.environ.get("NO_COLOR"):
            return False
        if self.environ.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return self.is_live

    def give(self, data: str) -> None:
        """Write data, ended by a line break.

        Raises:
            AppenderError: stdout takes nothing more, as a full disk.
            BrokenPipeError: nobody reads stdout any more.
        """
        try:
            print(data, file=self.out, flush=True)
        except BrokenPipeError:
            raise
        except OSError as fault:
            what = f"stdout cannot be written: {fault.strerror or fault}"
            raise AppenderError(what, hint="free some space, or send it elsewhere") from None

    @contextmanager
    def kept_for_data(self) -> Iterator[None]:
        """What others print meanwhile, such as a plugin, goes where messages go; `give` comes after it."""
        with redirect_stdout(self.err):
            yield

    def say(self, message: str) -> None:
        """Write a message; where nobody takes it, it is dropped: that must not change what is done."""
        try:
            print(message, file=self.err, flush=True)
        except (OSError, ValueError):
            give_up(sys.__stderr__)

    def paint(self, text: str, *looks: str) -> str:
        """The text with looks (bold, dim, red, green, yellow), or as it is without colours."""
        if not self.has_colours or not looks:
            return text
        codes = ";".join(_CODES[look] for look in looks)
        return f"\x1b[{codes}m{text}\x1b[0m"


def give_up(stream: TextIO | None) -> None:
    """Send what the stream still buffers nowhere, so that Python's flush at its end cannot fail over it."""
    with suppress(OSError, ValueError):
        if stream is not None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def printable(text: str) -> str:
    """The text without what would steer a terminal; pages and addresses may hold anything."""
    return "".join(
        sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text
    )
