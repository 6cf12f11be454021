"""`scoopi show`: shows definitions without short forms, with file and line of each value."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, INVALID
from scoopi.cli.terminal import Terminal, printable


class Show:
    """Prints definitions without short forms, as the rest of Scoopi sees them."""

    usage = "scoopi show DEFS [TASK]"
    sentence = "Shows definitions with all short forms written out, and the file and line of each value."
    example = "scoopi show books.yml\nscoopi show books.yml list.books"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add DEFS and TASK."""
        parser.add_argument("defs", metavar="DEFS", type=Path, help="a folder of definitions, or one file")
        help_text = "only this task (NAME, or GROUP.NAME) with its data definition and its locators"
        parser.add_argument("task", metavar="TASK", nargs="?", default="", help=help_text)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the definitions; the exit code is 3 if the files cannot be read.

        Raises:
            UsageError: there is no such task.
        """
        from scoopi.authoring import shown_definitions

        lines, report = shown_definitions(options.defs, options.task)
        for line in lines:
            terminal.give(printable(line))
        if report.errors:
            terminal.say(report.text())
        return INVALID if report.errors else DONE


VERB: Verb = Show()
