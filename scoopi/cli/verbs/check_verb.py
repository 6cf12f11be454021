"""`scoopi check`: reports every problem in definitions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, INVALID
from scoopi.cli.options import add_inputs, add_settings, add_verbose, given_inputs, read_settings
from scoopi.cli.terminal import Terminal, printable


class Check:
    """Checks definitions without loading a page; the report goes to stdout."""

    usage = "scoopi check DEFS... [options]"
    sentence = (
        "Reports every problem in definitions, without loading a page. DEFS may be a project of the\n"
        "scheduler, whose processes are checked together with the scrapes that they execute."
    )
    example = (
        "scoopi check defs/examples/quickstart\n"
        "scoopi check shop.yml fares.yml\n"
        "scoopi check defs --strict --format json"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add DEFS, `--format`, `--json` and `--strict`."""
        parser.add_argument(
            "defs",
            metavar="DEFS",
            type=Path,
            nargs="+",
            help="a folder of definitions or one file; several are checked one after another",
        )
        parser.add_argument(
            "--format",
            choices=("text", "json"),
            default="text",
            help="text (default), or one JSON document",
        )
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object for each finding, one per line"
        )
        parser.add_argument("--strict", action="store_true", help="treat warnings as errors")
        add_settings(parser)
        add_inputs(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the report; the exit code is 0 without errors, else 3."""
        from scoopi.app import check

        settings, inputs = read_settings(options.settings), given_inputs(options)
        with terminal.kept_for_data():  # checking loads plugins, which may print
            reports = [
                check(defs, options.conf, settings, options.strict, terminal.environ, inputs)
                for defs in options.defs
            ]
        is_wrong = any(each.errors or (options.strict and each.warnings) for each in reports)
        if options.json:
            terminal.give("\n".join(filter(None, (report.lines() for report in reports))))
            return INVALID if is_wrong else DONE
        texts = [report.json() if options.format == "json" else report.text() for report in reports]
        if len(texts) > 1:
            texts = _together(options, texts)
        for text in texts:
            terminal.give(text)
        return INVALID if is_wrong else DONE


def _together(options: Namespace, texts: list[str]) -> list[str]:
    """Combine several reports: as text, each with the name of its definitions; as JSON, in one list."""
    if options.format == "json":
        return ["[" + ",\n".join(texts) + "]"]
    return [f"{printable(str(defs))}: {text}" for defs, text in zip(options.defs, texts, strict=True)]


VERB: Verb = Check()
