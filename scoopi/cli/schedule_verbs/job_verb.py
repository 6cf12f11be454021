"""`scoopi job`: shows, explains, skips, cancels and repeats jobs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import get_args

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, services, since_of
from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows, print_with_changes
from scoopi.cli.terminal import Terminal
from scoopi.model.schedule.job_changes import SlotState
from scoopi.serve.rows import Row
from scoopi.serve.services.job_service import JobService

_COLUMNS = ("job", "state", "attempts", "failures", "reason")
_OPERATIONS = {
    "list": ("list jobs, by process and slot", ("--process", "--in", "--since")),
    "show": ("show one job, with all changes of its state", ("job",)),
    "why": ("explain what a job waits for, is doing, or how it ended", ("job",)),
    "skip": ("skip a job; its attempt is cancelled", ("job", "--dry-run")),
    "cancel": ("cancel the attempt of a job, which is then skipped", ("job", "--mode")),
    "clear": ("give a job on hold another attempt at once", ("job",)),
    "reprocess": ("run a job once more, and those that depend on it", ("job", "--dry-run")),
}


class Jobs:
    """Executes an operation on jobs, such as `list` or `clear`."""

    usage = "scoopi job {list,show,why,skip,cancel,clear,reprocess} [JOB] [options]"
    sentence = "Shows the jobs of the scheduler, and explains and changes single ones."
    example = (
        "scoopi job list --process shop.books --state failed\n"
        'scoopi job why "shop.books/@2026-03-28T05:00:00Z"'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the operations."""
        add_operations(parser, _OPERATIONS, get_args(SlotState))

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Carry out the operation.

        Raises:
            UsageError: the job is unknown, or its state does not allow the operation.
        """
        with services(options) as (_, jobs):
            if options.operation == "list":
                since = since_of(options)
                rows = jobs.jobs(options.process, options.state_of, since=since)
                print_rows(terminal, rows, options, _COLUMNS)
                if not rows and not options.json:
                    terminal.say("there are no such jobs")
            elif options.operation in ("skip", "reprocess"):
                change = jobs.skip if options.operation == "skip" else jobs.reprocess
                print_rows(terminal, change(options.job, dry_run=options.dry_run), options, _COLUMNS)
            elif options.operation == "show":
                print_with_changes(terminal, jobs.show(options.job), options)
            elif options.operation == "why":
                _print_why(terminal, jobs.why(options.job), options)
            else:
                print_fields(terminal, _changed(jobs, options), options)
                if options.operation == "cancel":
                    terminal.say(jobs.why(options.job)["reason"])
        return DONE


def _print_why(terminal: Terminal, row: Row, options: Namespace) -> None:
    """Print the explanation as JSON, or as one sentence with its hint."""
    if options.json:
        print_rows(terminal, [row], options)
    else:
        terminal.give("; ".join(filter(None, (row["reason"], row["hint"]))))


def _changed(jobs: JobService, options: Namespace) -> Row:
    if options.operation == "cancel":
        return jobs.cancel(options.job, options.mode)
    return jobs.clear(options.job)


VERB: Verb = Jobs()
