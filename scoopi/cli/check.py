"""`scoopi check`: tells everything that is wrong with definitions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoopi.cli.exit_codes import DONE, INVALID
from scoopi.cli.options import add_settings, add_verbose, read_settings
from scoopi.cli.terminal import Terminal
from scoopi.cli.verb import Verb


class Check:
    """Checks definitions without loading a page; the report is data, on stdout."""

    usage = "scoopi check DEFS [options]"
    sentence = "Tells everything that is wrong with definitions, without loading a page."
    example = "scoopi check defs/examples/quickstart\nscoopi check defs --strict --format json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """DEFS, the form of the report, and what counts as wrong."""
        parser.add_argument("defs", metavar="DEFS", type=Path, help="a folder of definitions, or one file")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
        parser.add_argument("--strict", action="store_true", help="warnings are errors")
        add_settings(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """0 when nothing is wrong, else 3."""
        from scoopi.app import check

        settings = read_settings(options.settings)
        with terminal.kept_for_data():  # plugins are made to be checked
            report = check(options.defs, options.conf, settings, options.strict, terminal.environ)
        terminal.give(report.json() if options.format == "json" else report.text())
        is_wrong = report.errors or (options.strict and report.warnings)
        return INVALID if is_wrong else DONE


VERB: Verb = Check()
