"""main: runs one command line; each verb imports its own modules when it runs, so that all start fast."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from scoopi.cli import exit_codes
from scoopi.cli.arguments import ensure_verb, read_options, run_verb, top_help, verb_of
from scoopi.cli.terminal import Terminal, give_up, printable
from scoopi.errors import AppenderError, DefsError, ScoopiError, UsageError
from scoopi.version import __version__

_HELP = ("-h", "--help", "help")


def main(arguments: Sequence[str] | None = None, terminal: Terminal | None = None) -> int:
    """Run one command line.

    Args:
        arguments: the words after `scoopi`; by default those of the process.
        terminal: the streams of data and messages; by default those of the process.
    Returns:
        The exit code, see `exit_codes`.
    """
    words = sys.argv[1:] if arguments is None else arguments
    terminal = terminal or Terminal()
    try:
        return _run(words, terminal)
    except SystemExit as end:  # argparse has printed the help of a verb
        return end.code if isinstance(end.code, int) else exit_codes.DONE
    except BrokenPipeError:
        give_up(sys.__stdout__)
        return exit_codes.UNREACHABLE
    except BaseException as error:
        _report(error, terminal)
        if isinstance(error, AppenderError):
            give_up(sys.__stdout__)
        return exit_codes.code_of_error(error)


def _run(words: Sequence[str], terminal: Terminal) -> int:
    if not words:
        terminal.say(top_help())
        return exit_codes.WRONG_USAGE
    if words[0] == "help" and words[1:] and words[1] not in _HELP:
        ensure_verb(words[1])
        words = (words[1], "--help")
    if words[0] in _HELP:
        terminal.give(top_help())
        return exit_codes.DONE
    if words[0] in ("-V", "--version"):
        terminal.give(f"scoopi {__version__}")
        return exit_codes.DONE
    _ensure_current_folder()
    name, rest = verb_of(words)
    verb, options = read_options(name, rest)
    try:
        return run_verb(verb, options, terminal)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        hint = "give the path of an existing file or folder"
        raise UsageError("the name of the file is too long", at=str(error.filename), hint=hint) from error


def _ensure_current_folder() -> None:
    """Check that the current folder exists, as most paths are relative to it.

    Raises:
        UsageError: it was removed.
    """
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError("the current folder was removed", hint="change to a folder that exists") from error


def _report(error: BaseException, terminal: Terminal) -> None:
    label = terminal.paint("scoopi:", "red", "bold")
    if isinstance(error, KeyboardInterrupt):
        terminal.say(f"{label} stopped", level="error", event="error")
    elif isinstance(error, ScoopiError):
        text = printable(str(error))
        is_report = isinstance(error, DefsError) and "\n" in text
        words = f"{label} invalid definitions\n{text}" if is_report else f"{label} {text}"
        terminal.say(words, level="error", event="error")
    else:
        _report_unexpected(error, terminal, label)


def _report_unexpected(error: BaseException, terminal: Terminal, label: str) -> None:
    from scoopi.cli.log import keep_traceback

    path = keep_traceback(error)
    where = f"; the traceback is in {path}" if path else ""
    what = " ".join(printable(str(error)).split())
    terminal.say(f"{label} unexpected error: {type(error).__name__}: {what}{where}")
