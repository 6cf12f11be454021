"""`scoopi launch`: creates a job of a process by hand."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_common, desks, print_rows, read_inputs
from scoopi.cli.terminal import Terminal
from scoopi.periods.slot import parse_instant


class Launch:
    """Prints the id of the job."""

    usage = "scoopi launch PROCESS [-i NAME=VALUE ...] [--slot SLOT] [--after TIME] [options]"
    sentence = "Creates a job of a process, which the next pass considers, and prints its id."
    example = (
        "scoopi launch shop.books\nscoopi launch shop.books -i day=2026-01-31 --after 2026-02-01T06:00:00Z"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROCESS, its inputs, and for when."""
        parser.add_argument("process", metavar="PROCESS", help="name of the process")
        parser.add_argument(
            "-i",
            dest="inputs",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help="an input, instead of the one of the process; may be repeated",
        )
        parser.add_argument("--slot", metavar="SLOT", help="slot of the process (default: the next !n)")
        parser.add_argument("--after", metavar="TIME", help="RFC 3339; not before this time")
        add_common(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Create the job.

        Raises:
            UsageError: the process or the slot is not valid.
        """
        with desks(options) as (processes, _):
            after = parse_instant(options.after) if options.after else None
            row = processes.launch(options.process, read_inputs(options), options.slot, after)
        print_rows(terminal, [row], options, ("job",))
        return DONE


VERB: Verb = Launch()
