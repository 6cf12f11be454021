"""`scoopi group`: shows the groups of workers, and their free capacity."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, opened
from scoopi.cli.schedule_verbs.printed_rows import print_rows
from scoopi.cli.terminal import Terminal
from scoopi.serve.rows import group_row
from scoopi.serve.workers.worker_name import dead_workers

_COLUMNS = ("group", "workers", "capacity", "used", "left", "jobs")
_OPERATIONS = {"list": ("all groups that workers or processes name", ())}


class Groups:
    """Lists the groups of workers, with their capacity."""

    usage = "scoopi group list [options]"
    sentence = (
        "Shows the groups of workers: their capacity, and how much of it is used and left. If a group is\n"
        "named by processes only, it has no workers, so that their attempts wait."
    )
    example = "scoopi group list"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the operations."""
        add_operations(parser, _OPERATIONS)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the groups, by name.

        Raises:
            UsageError: there is no state of a scheduler.
        """
        with opened(options) as state:
            workers, attempts = [*state.store.workers().values()], state.store.open_attempts()
            names = {group for worker in workers for group in worker.groups}
            names |= {group for each in state.current()[1].processes.values() for group in each.groups}
            dead = dead_workers(state.folder, workers)
            rows = [
                group_row(name, [each for each in workers if name in each.groups], attempts, dead)
                for name in sorted(names)
            ]
            print_rows(terminal, rows, options, _COLUMNS)
        return DONE


VERB: Verb = Groups()
