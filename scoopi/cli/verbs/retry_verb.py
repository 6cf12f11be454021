"""`scoopi retry`: runs the failed tasks of a finished run again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.options import add_cluster, add_run_options, name_cluster
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.terminal_run import run_in_terminal

if TYPE_CHECKING:
    from scoopi.app import Scoopi
    from scoopi.model.report.run_report import RunReport


class Retry:
    """Adds the rows of failed tasks to a run's output."""

    usage = "scoopi retry [RUN] [options]"
    sentence = (
        "Runs the failed tasks of a run again, with its own definitions and settings, and adds their rows\n"
        "to its output. The files stay complete: they are replaced atomically at the end."
    )
    example = (
        "scoopi retry\nscoopi retry output/20260131-101500-3f2a -D scoopi.retry.attempts=10\n"
        "scoopi retry output/shop-1a2b3c4d-5e6f --cluster 10.0.0.7:5701"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, the cluster and the options of a run."""
        help_text = "the run's folder, or its id in the output folder (default: the newest finished run)"
        parser.add_argument("run_name", metavar="RUN", nargs="?", help=help_text)
        add_run_options(parser)
        add_cluster(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Run the failed tasks; the exit code is 0 if there are none."""

        name_cluster(options)

        def retry(scoopi: Scoopi) -> RunReport | None:
            report = scoopi.retry(options.run_name)
            if report is None:
                folder = "output" if options.output == "-" else options.output
                why = f"{folder} has no finished run, or its newest one has no failed task"
                if options.run_name is not None:
                    why = f"{options.run_name} has no failed task"
                terminal.say(f"nothing to retry: {printable(why)}")
            return report

        return run_in_terminal(options, terminal, None, retry)


VERB: Verb = Retry()
