"""`scoopi resume`: goes on with a run that was stopped or killed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from scoopi.cli.options import add_run_options
from scoopi.cli.session import carry_out
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.verbs.verb import Verb

if TYPE_CHECKING:
    from scoopi.app import Scoopi
    from scoopi.model.run_report import RunReport


class Resume:
    """Does the jobs that a run has left."""

    usage = "scoopi resume [RUN] [options]"
    sentence = "Goes on with a run that was stopped or killed, by its own definitions and settings."
    example = "scoopi resume\nscoopi resume output/20260131-101500-3f2a"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """RUN and the options of a run."""
        help_text = "a run's folder, or its id under the output folder; without it, the newest unfinished run"
        parser.add_argument("run_name", metavar="RUN", nargs="?", help=help_text)
        add_run_options(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Resume it; 0, saying so, when nothing is unfinished."""

        def resume(scoopi: Scoopi) -> RunReport | None:
            report = scoopi.resume(options.run_name)
            if report is None:
                folder = "output" if options.output == "-" else options.output
                terminal.say(f"nothing to resume: no unfinished run in {printable(folder)}")
            return report

        return carry_out(options, terminal, None, resume)


VERB: Verb = Resume()
