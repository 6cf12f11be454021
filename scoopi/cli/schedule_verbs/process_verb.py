"""`scoopi process`: shows, pauses and resumes processes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import timedelta

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, services
from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows, print_with_changes
from scoopi.cli.terminal import Terminal
from scoopi.errors import UsageError
from scoopi.serve.services.backfill_service import BackfillService
from scoopi.serve.services.job_service import JobService

_OPERATIONS = {
    "list": ("list the deployed processes", ()),
    "show": ("show one process", ("process",)),
    "next": ("show its next slots, and when they become due", ("process", "-n")),
    "pause": ("create jobs, but start none; attempts that run continue", ("process", "--reason")),
    "resume": ("start jobs again", ("process",)),
    "interval": ("change how often it fires or is checked; `default` resets it", ("process", "every")),
    "backfill": (
        "create the missing jobs of past slots",
        (
            "process",
            "--from",
            "--to",
            "--order",
            "--max-parallel",
            "--overlap",
            "--dry-run",
            "--list",
            "--cancel",
        ),
    ),
}


class Processes:
    """Executes an operation on processes, such as `list` or `pause`."""

    usage = "scoopi process {list,show,next,pause,resume,interval,backfill} [PROCESS] [options]"
    sentence = "Shows, pauses and resumes the processes of the scheduler, and fills their past slots."
    example = (
        "scoopi process list\n"
        "scoopi process next shop.books -n 3\n"
        "scoopi process backfill shop.books --from 2026-01-01 --to 2026-01-07 --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the operations."""
        add_operations(parser, _OPERATIONS)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Carry out the operation.

        Raises:
            UsageError: the process is unknown, or its state does not allow the operation.
        """
        with services(options) as (processes, jobs):
            if options.operation == "list":
                print_rows(terminal, processes.processes(), options, ("process", "mode", "next", "paused"))
            elif options.operation == "next":
                rows = processes.upcoming(options.process, options.count)
                if not rows:
                    terminal.say(processes.no_upcoming(options.process))
                elif ahead := processes.ahead(options.process):
                    terminal.say(f"warning: {ahead}; scoopi process show {options.process} has more")
                is_instant = all(row["slot"].startswith("@") for row in rows)
                print_rows(terminal, rows, options, ("at",) if is_instant else ("slot", "at"))
            elif options.operation == "backfill":
                _backfill(processes.backfills(options.process), jobs, options, terminal)
            elif options.operation == "show":
                print_with_changes(terminal, processes.show_process(options.process), options)
            elif options.operation == "interval":
                row = processes.set_interval(options.process, _interval_of(options.every))
                print_fields(terminal, row, options)
            elif options.operation == "pause":
                print_fields(terminal, processes.pause(options.process, options.reason), options)
            else:
                print_fields(terminal, processes.resume(options.process), options)
        return DONE


def _interval_of(text: str) -> timedelta | None:
    """The new interval; None for `default`.

    Raises:
        UsageError: the duration is invalid, or shorter than a second.
    """
    from scoopi.periods.duration import parse_duration

    if text == "default":
        return None
    every = parse_duration(text)
    if every < timedelta(seconds=1):
        raise UsageError(
            f"{text} is shorter than a second", hint="write a duration such as 90s or 2h, or default"
        )
    return every


def _backfill(service: BackfillService, jobs: JobService, options: Namespace, terminal: Terminal) -> None:
    given = (options.first is not None or options.last is not None, options.shows_list, options.cancel)
    is_range = options.first is not None and options.last is not None
    if sum(map(bool, given)) != 1 or (given[0] and not is_range):
        hint = "write --from SLOT --to SLOT, or --list, or --cancel BACKFILL"
        raise UsageError("a backfill needs both ends of a range", hint=hint)
    if options.shows_list:
        print_rows(terminal, service.backfills(), options)
    elif options.cancel:
        print_rows(terminal, service.cancel(options.cancel, jobs), options, ("job", "state"))
    else:
        if options.max_parallel < 0:
            raise UsageError("--max-parallel needs a number from 0", hint="0 means no limit")
        rows = service.create(
            options.first,
            options.last,
            overlap=options.overlap,
            order=options.order,
            max_parallel=options.max_parallel,
            dry_run=options.dry_run,
        )
        print_rows(terminal, rows, options, ("job", "change", "state"))


VERB: Verb = Processes()
