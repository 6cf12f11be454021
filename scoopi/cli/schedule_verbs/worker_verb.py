"""`scoopi worker`: shows and registers workers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, now_of, opened
from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows
from scoopi.cli.terminal import Terminal
from scoopi.serve.rows import worker_row
from scoopi.serve.services.worker_service import WorkerService
from scoopi.serve.workers.worker_name import dead_workers
from scoopi.serve.workers.worker_registry import WorkerRegistry

_COLUMNS = ("worker", "state", "groups", "capacity", "used")
_OPERATIONS = {
    "list": ("list all workers", ()),
    "put": (
        "register a worker outside of Scoopi, or change any; it takes attempts again",
        ("name", "--groups", "--capacity"),
    ),
    "beat": ("send a heartbeat; from then on it must keep sending them", ("name",)),
    "drain": ("assign no more attempts to it", ("name",)),
    "remove": ("remove it, unless its serve is alive; its attempts are offered again", ("name",)),
}


class Workers:
    """Executes an operation on workers, such as `list` or `put`."""

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
            StateRefusedError: it is to be removed, but may be alive.
        """
        with opened(options) as state:
            service = WorkerService(state.store, now_of(options))
            if options.operation == "list":
                attempts = state.store.open_attempts()
                workers = state.store.workers().values()
                dead = dead_workers(state.folder, workers)
                rows = [worker_row(each, attempts, dead) for each in workers]
                print_rows(terminal, rows, options, _COLUMNS)
                return DONE
            if options.operation == "put":
                record = service.put(options.name, options.groups, options.capacity)
            elif options.operation == "beat":
                record = WorkerRegistry(state.store).beat(options.name)
            else:
                record = (service.drain if options.operation == "drain" else service.remove)(options.name)
            print_fields(terminal, worker_row(record, state.store.open_attempts()), options)
        return DONE


VERB: Verb = Workers()
