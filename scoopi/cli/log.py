"""Log: shows the log records of Scoopi on the terminal while a verb runs."""

from __future__ import annotations

import logging
import os
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from time import localtime, strftime

from scoopi.cli.terminal import Terminal, json_line, printable

_LOOKS = {"ERROR": ("red",), "CRITICAL": ("red",), "WARNING": ("yellow",)}


class TerminalFormatter(logging.Formatter):
    """Formats a record as `08:12:33 warning job 12ab: …`, then its traceback if `tracebacks` is set."""

    def __init__(self, terminal: Terminal, tracebacks: bool) -> None:
        super().__init__()
        self._terminal = terminal
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        time = strftime("%H:%M:%S", localtime(record.created))
        level = self._terminal.paint(record.levelname.lower(), *_LOOKS.get(record.levelname, ("dim",)))
        line = f"{time} {level} {printable(record.getMessage())}"
        if record.exc_info and self._tracebacks:
            line += "\n" + printable(self.formatException(record.exc_info))
        return line


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object in one line, with a `traceback` if the record has one."""

    def format(self, record: logging.LogRecord) -> str:
        fields = dict(getattr(record, "fields", {}))
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        level, message = record.levelname.lower(), record.getMessage()
        return json_line(level, record.name, message, fields, record.created)


class TerminalHandler(logging.Handler):
    """Writes to the terminal's current stream of messages."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self._terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._terminal.write(self.format(record))
        except Exception:
            self.handleError(record)


@contextmanager
def log_to(terminal: Terminal, verbose: bool) -> Iterator[None]:
    """During the `with` block, show warnings and errors; with `verbose` also progress and tracebacks."""
    logger = logging.getLogger("scoopi")
    handler = TerminalHandler(terminal)
    handler.setFormatter(JsonFormatter() if terminal.is_json else TerminalFormatter(terminal, verbose))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if verbose else logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


def keep_traceback(error: BaseException) -> str:
    """Write the traceback of an unexpected error to a new file.

    Returns:
        The path of the file; empty if it could not be written.
    """
    try:
        handle, path = tempfile.mkstemp(prefix="scoopi-error-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(traceback.format_exception(error))
    except OSError:
        return ""
    return path
