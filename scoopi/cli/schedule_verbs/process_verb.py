"""`scoopi process`: shows, pauses and resumes processes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, desks, print_fields, print_rows
from scoopi.cli.terminal import Terminal

_OPERATIONS = {
    "list": ("the deployed processes", ()),
    "show": ("one process", ("process",)),
    "next": ("its next slots, and when they become due", ("process", "-n")),
    "pause": ("create jobs, but start none; attempts that run continue", ("process", "--reason")),
    "resume": ("start jobs again", ("process",)),
}


class Processes:
    """One operation on processes."""

    usage = "scoopi process {list,show,next,pause,resume} [PROCESS] [options]"
    sentence = "Shows, pauses and resumes the processes of the scheduler."
    example = (
        "scoopi process list\n"
        "scoopi process next shop.books -n 3\n"
        "scoopi process pause shop.books --reason audit"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The operations."""
        add_operations(parser, _OPERATIONS)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Carry out the operation.

        Raises:
            UsageError: the process is unknown, or not in a state for it.
        """
        with desks(options) as (processes, _):
            if options.operation == "list":
                print_rows(terminal, processes.processes(), options, ("process", "mode", "next", "paused"))
            elif options.operation == "next":
                rows = processes.upcoming(options.process, options.count)
                print_rows(terminal, rows, options, ("at",))
            elif options.operation == "show":
                print_fields(terminal, processes.show_process(options.process), options)
            elif options.operation == "pause":
                print_fields(terminal, processes.pause(options.process, options.reason), options)
            else:
                print_fields(terminal, processes.resume(options.process), options)
        return DONE


VERB: Verb = Processes()
