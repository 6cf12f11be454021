"""Terminal: the streams for data and for messages, and whether messages have colours."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO

from scoopi.errors import AppenderError

_MODES = {0: os.O_WRONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
"""File descriptor -> mode in which it is opened if it is closed. stdin and stdout are unusable, so that
writing rows that nobody would receive is an error."""
POLL_S = 0.2
"""Seconds between two checks of what another process writes."""
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Terminal:
    """stdout for data, stderr for messages; the streams of the process unless others are given.

    Attributes:
        is_json: whether messages are written as JSON objects, one per line.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._out = out
        self._err = err
        self.is_json = False
        self.environ: Mapping[str, str] = os.environ if environ is None else environ

    @property
    def out(self) -> TextIO:
        """The stream of data."""
        return self._out or sys.stdout

    @property
    def err(self) -> TextIO:
        """The stream of messages; looked up at each access, since a progress line replaces `sys.stderr`."""
        return self._err or sys.stderr

    @property
    def is_live(self) -> bool:
        """Whether messages can be redrawn in place."""
        return not self.is_json and self.err.isatty() and self.environ.get("TERM", "") not in ("", "dumb")

    @property
    def has_colours(self) -> bool:
        """Whether to use colours: NO_COLOR overrides FORCE_COLOR, and both override the kind of stream."""
        if self.is_json or self.environ.get("NO_COLOR"):
            return False
        if self.environ.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return self.is_live

    def give(self, data: str) -> None:
        """Write data and a line break.

        Raises:
            AppenderError: stdout cannot be written, for example because the disk is full.
            BrokenPipeError: the reader of stdout has closed it.
        """
        try:
            print(data, file=self.out, flush=True)
        except BrokenPipeError:
            raise
        except OSError as fault:
            what = f"stdout cannot be written: {fault.strerror or fault}"
            raise AppenderError(what, hint="free some space, or redirect it elsewhere") from None

    @contextmanager
    def kept_for_data(self) -> Iterator[None]:
        """Redirect what others print, such as a plugin, to the stream of messages; call `give` afterwards."""
        with redirect_stdout(self.err):
            yield

    def say(self, message: str, /, **fields: object) -> None:
        """Write a message; drop it if it cannot be written, so that a run never fails because of it.

        Args:
            fields: the contents of the message as fields of the JSON object.
        """
        if self.is_json:
            message = json_line("info", "scoopi.cli", message, fields)
        self.write(message)

    def write(self, line: str) -> None:
        """Write a line to the stream of messages, unchanged."""
        try:
            print(line, file=self.err, flush=True)
        except (OSError, ValueError):
            give_up(sys.__stderr__)

    def paint(self, text: str, *styles: str) -> str:
        """The text in these styles (bold, dim, red, green, yellow); unchanged if there are no colours."""
        if not self.has_colours or not styles:
            return text
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def json_line(
    level: str, logger: str, message: str, fields: Mapping[str, object], created: float | None = None
) -> str:
    """A message as a JSON object: `time` (UTC), `level`, `logger`, `message`, then the fields.

    Args:
        created: seconds since the epoch; None for now.
    """
    import json  # late: most runs log text
    from datetime import UTC, datetime

    now = datetime.now(UTC) if created is None else datetime.fromtimestamp(created, UTC)
    head = {"time": now.isoformat(timespec="milliseconds"), "level": level, "logger": logger}
    return json.dumps({**head, "message": message, **fields}, default=str, ensure_ascii=False)


def poll_until(is_over: Callable[[], bool]) -> Iterator[None]:
    """Iterate at intervals, to poll what another process writes, for which there is no event.

    The last iteration is after `is_over` has returned True, so that everything written before the end is
    seen.
    """
    while not is_over():
        yield
        time.sleep(POLL_S)
    yield


def give_up(stream: TextIO | None) -> None:
    """Redirect a stream to the null device, so that Python's flush at exit cannot fail."""
    with suppress(OSError, ValueError):
        if stream is not None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def printable(text: str) -> str:
    """The text with control characters replaced, which pages and URLs may contain."""
    return "".join(
        sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text
    )


def open_closed_streams() -> None:
    """Open the standard streams that were closed when the process started.

    Otherwise the next file to be opened would get such a descriptor, and everything printed to it.
    """
    for descriptor, mode in _MODES.items():
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest free descriptor, which is this one
            os.set_inheritable(descriptor, True)
    if sys.stdout is None:  # not writable, so that a run fails before it starts
        sys.stdout = sys.__stdout__ = os.fdopen(1, closefd=False)  # type: ignore[misc]  # typed as final
    if sys.stderr is None:
        sys.stderr = sys.__stderr__ = os.fdopen(2, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]
