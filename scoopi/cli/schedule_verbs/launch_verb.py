"""`scoopi launch`: creates a job of a process by hand."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, SOME_FAILED
from scoopi.cli.options import add_inputs, inputs_of_file, read_inputs
from scoopi.cli.schedule_verbs.operations import add_common, instant_of, services
from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows
from scoopi.cli.terminal import Terminal, poll_until
from scoopi.model.schedule.schedule_records import FINISHED


class Launch:
    """Creates a job by hand, and prints its id."""

    usage = "scoopi launch PROCESS|scrape:PATH [-i NAME=VALUE ...] [--inputs FILE] [--slot SLOT] [options]"
    sentence = "Creates a job of a process, or of a scrape of the project that has none, and prints its id."
    example = (
        "scoopi launch shop.books\nscoopi launch scrape:shops/books#list --wait\n"
        "scoopi launch shop.books -i day=2026-01-31 --after 2026-02-01T06:00:00Z"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add PROCESS, its inputs and its time."""
        parser.add_argument(
            "process",
            metavar="PROCESS",
            help="name of the process; or scrape:PATH[#GROUP,...] of the deployed project",
        )
        add_inputs(parser, "an input, instead of the one of the process")
        parser.add_argument(
            "--inputs",
            dest="inputs_file",
            metavar="FILE",
            help="JSON or YAML with inputs by name, - for standard input; -i takes precedence",
        )
        parser.add_argument("--slot", metavar="SLOT", help="slot of the process (default: the next !n)")
        parser.add_argument("--after", metavar="TIME", help="RFC 3339; not before this time")
        parser.add_argument(
            "--wait", action="store_true", help="wait until it ends; print its state and outputs"
        )
        add_common(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Create the job.

        Raises:
            UsageError: the process or the slot is not valid.
        """
        from scoopi.app import check_scrape

        with services(options) as (processes, _):
            after = instant_of("--after", options.after) if options.after else None
            inputs = inputs_of_file(options.inputs_file) if options.inputs_file else {}
            inputs |= read_inputs(options.inputs)
            row = processes.launch(options.process, inputs, options.slot, after, check_scrape)
            for name, near in processes.misspelt(row["process"], inputs).items():
                terminal.say(f"warning: {row['process']} has no input {name}; did you mean {near}?")
        if not options.wait:
            print_rows(terminal, [row], options, ("job",))
            return DONE
        terminal.say(f"launched {row['job']}, waiting for its end; it continues without this command")
        with services(options) as (_, jobs):
            for _ in poll_until(lambda: jobs.job(row["job"]).state in FINISHED):
                pass
            job = jobs.job(row["job"])
            attempts = jobs.attempts.rows(job.job)
        result: dict[str, Any] = {"job": job.job, "state": job.state, "reason": job.reason or None}
        result["outputs"] = attempts[-1]["outputs"] if attempts else {}
        print_fields(terminal, result, options)
        return DONE if job.state in ("processed", "noop") else SOME_FAILED


VERB: Verb = Launch()
