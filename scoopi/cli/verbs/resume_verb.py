"""`scoopi resume`: continues a run that was stopped or killed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.options import add_cluster, add_inputs, add_run_options, name_cluster
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.terminal_run import run_in_terminal

if TYPE_CHECKING:
    from scoopi.app import Scoopi
    from scoopi.model.report.run_report import RunReport

FAILED = "also run the failed tasks again; if no run is unfinished, those of the newest finished run"


class Resume:
    """Runs the remaining jobs of a run."""

    usage = "scoopi resume [RUN] [options]"
    sentence = "Continues a run that was stopped or killed, with its own definitions and settings."
    example = "scoopi resume\nscoopi resume output/20260131-101500-3f2a"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, `--failed`, inputs, the cluster and the options of a run."""
        help_text = "the run's folder, or its id in the output folder (default: the newest unfinished run)"
        parser.add_argument("run_name", metavar="RUN", nargs="?", help=help_text)
        parser.add_argument("--failed", action="store_true", help=FAILED)
        add_run_options(parser)
        add_cluster(parser)
        add_inputs(parser, "an input, which must have the value that the run started with")

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Resume the run; the exit code is 0 if no run is unfinished."""

        name_cluster(options)

        def resume(scoopi: Scoopi) -> RunReport | None:
            report = scoopi.resume(options.run_name, failed=options.failed)
            if report is None:
                folder = "output" if options.output == "-" else options.output
                what = "no unfinished run, and no failed task" if options.failed else "no unfinished run"
                terminal.say(f"nothing to resume: {what} in {printable(folder)}")
            return report

        return run_in_terminal(options, terminal, None, resume)


VERB: Verb = Resume()
