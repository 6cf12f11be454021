"""Terminal: data and messages have streams of their own, and no message fails a run."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from scoopi.cli import terminal as terminals
from scoopi.cli.terminal import Terminal, json_line, poll_until, printable
from scoopi.errors import AppenderError


class Screen(io.StringIO):
    """A stream of a terminal."""

    def isatty(self) -> bool:
        return True


class Full(io.StringIO):
    """A stream of a disk that is full."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_data_and_messages_go_to_their_streams() -> None:
    out, err = io.StringIO(), io.StringIO()
    terminal = Terminal(out, err, {})
    terminal.give("a row")
    terminal.say("a message")
    with terminal.kept_for_data():
        print("of a plugin")
    assert (out.getvalue(), err.getvalue()) == ("a row\n", "a message\nof a plugin\n")


def test_data_that_cannot_be_written_is_an_error_and_a_message_is_not() -> None:
    terminal = Terminal(Full(), Full(), {})
    with pytest.raises(AppenderError, match="stdout cannot be written: No space left on device"):
        terminal.give("a row")
    terminal.say("a message")


def test_messages_are_json_lines_if_they_are_to_be() -> None:
    err = io.StringIO()
    terminal = Terminal(io.StringIO(), err, {})
    terminal.is_json = True
    terminal.say("grüß", rows=3)
    line = json.loads(err.getvalue())
    assert {"level": "info", "logger": "scoopi.cli", "message": "grüß", "rows": 3}.items() <= line.items()
    at = json.loads(json_line("error", "x", "y", {}, created=0.0))["time"]
    assert at == "1970-01-01T00:00:00.000+00:00"


@pytest.mark.parametrize(
    ("environ", "has_colours"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "0"}, False),
    ],
)
def test_colours_are_for_terminals_and_those_who_ask(environ: dict[str, str], has_colours: bool) -> None:
    terminal = Terminal(io.StringIO(), Screen(), environ)
    assert terminal.has_colours is has_colours
    assert terminal.paint("x", "bold", "red") == ("\x1b[1;31mx\x1b[0m" if has_colours else "x")
    assert terminal.paint("x") == "x"


def test_a_poll_looks_once_more_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals, "POLL_S", 0.0)
    answers, seen = iter([False, False, True]), list[Any]()
    for _ in poll_until(lambda: next(answers)):
        seen.append("look")
    assert len(seen) == 3
    assert len(list(poll_until(lambda: True))) == 1


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    assert "\x1b" not in printable("a\x1b[2Jb")
