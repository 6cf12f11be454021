"""`scoopi job`: shows, explains, skips, cancels and repeats jobs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_operations, desks, print_fields, print_rows
from scoopi.cli.terminal import Terminal
from scoopi.serve.job_desk import JobDesk
from scoopi.serve.rows import Row, job_row

_COLUMNS = ("job", "state", "attempts", "failures", "reason")
_OPERATIONS = {
    "list": ("jobs, by process and slot", ("--process", "--in")),
    "show": ("one job", ("job",)),
    "why": ("what a job waits for, is doing, or how it ended", ("job",)),
    "skip": ("skip a job; its attempt is cancelled", ("job",)),
    "cancel": ("cancel the attempt of a job, which is skipped then", ("job", "--mode")),
    "clear": ("give a job on hold another attempt at once", ("job",)),
    "reprocess": ("run a job that is over once more", ("job",)),
}


class Jobs:
    """One operation on jobs."""

    usage = "scoopi job {list,show,why,skip,cancel,clear,reprocess} [JOB] [options]"
    sentence = "Shows the jobs of the scheduler, and explains and changes single ones."
    example = 'scoopi job list --process shop.books\nscoopi job why "shop.books/@2026-03-28T05:00:00Z"'

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The operations."""
        add_operations(parser, _OPERATIONS)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Carry out the operation.

        Raises:
            UsageError: the job is unknown, or not in a state for it.
        """
        with desks(options) as (_, jobs):
            if options.operation == "list":
                print_rows(terminal, jobs.jobs(options.process, options.state_of), options, _COLUMNS)
            elif options.operation == "why":
                row = jobs.why(options.job)
                print_rows(terminal, [row], options, ("reason",))
            else:
                print_fields(terminal, _changed(jobs, options), options)
        return DONE


def _changed(jobs: JobDesk, options: Namespace) -> Row:
    if options.operation == "show":
        return job_row(jobs.job(options.job))
    if options.operation == "cancel":
        return jobs.cancel(options.job, options.mode)
    operations = {"skip": jobs.skip, "clear": jobs.clear, "reprocess": jobs.reprocess}
    return operations[options.operation](options.job)


VERB: Verb = Jobs()
