"""`scoopi worker`: shows and registers workers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, now_of, opened
from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows
from scoopi.cli.terminal import Terminal
from scoopi.serve.rows import worker_row
from scoopi.serve.workbench import Workbench

_COLUMNS = ("worker", "state", "groups", "capacity", "used")
_OPERATIONS = {
    "list": ("list all workers", ()),
    "put": ("register a worker outside of Scoopi, or change it", ("name", "--groups", "--capacity")),
    "beat": ("send a heartbeat; from then on it must keep sending them", ("name",)),
    "drain": ("assign no more attempts to it", ("name",)),
    "remove": ("remove it; its attempts are offered again", ("name",)),
}


class Workers:
    """One operation on workers."""

    usage = "scoopi worker {list,put,beat,drain,remove} [NAME] [options]"
    sentence = "Shows and registers the workers that run the scheduler's attempts."
    example = "scoopi worker put press --capacity 2\nscoopi worker list"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the operations."""
        add_operations(parser, _OPERATIONS)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Carry out the operation.

        Raises:
            UsageError: the worker is not registered.
        """
        with opened(options) as state:
            bench = Workbench(state.store)
            if options.operation == "list":
                attempts = state.store.open_attempts()
                rows = [worker_row(each, attempts) for each in state.store.workers().values()]
                print_rows(terminal, rows, options, _COLUMNS)
                return DONE
            if options.operation == "put":
                record = bench.put(options.name, options.groups, options.capacity, is_external=True)
            elif options.operation == "beat":
                record = bench.beat(options.name)
            else:
                # One that drains may still be lost by its heartbeat; without one, its state says so.
                fields = {"state": "draining"} if options.operation == "drain" else _REMOVED
                record = bench.change(options.name, since=now_of(options), **fields)
            print_fields(terminal, worker_row(record, state.store.open_attempts()), options)
        return DONE


_REMOVED = {"state": "lost", "beat": None}
VERB: Verb = Workers()
