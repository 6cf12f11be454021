"""`scoopi deploy`: checks a project of the scheduler and makes it current."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_common, now_of, opened, user_of
from scoopi.cli.schedule_verbs.printed_rows import print_rows
from scoopi.cli.terminal import Terminal


class Deploy:
    """Checks a project and makes it current; prints the processes that are added, changed and removed."""

    usage = "scoopi deploy JOBS [--dry-run] [options]"
    sentence = (
        "Checks a project of the scheduler, with the definitions of its scrapes, stores all its files and\n"
        "makes them current. Attempts that run keep the definitions that they started with."
    )
    example = "scoopi deploy jobs --dry-run\nscoopi deploy jobs"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add JOBS and `--dry-run`."""
        parser.add_argument("jobs", metavar="JOBS", type=Path, help="the folder of the project, or one file")
        parser.add_argument("--dry-run", action="store_true", help="print the changes and store nothing")
        add_common(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Deploy and print the changes.

        Raises:
            DefsError: the project has errors (exit 3); nothing is stored.
        """
        from scoopi.app import check_scrape

        with opened(options, must_exist=False) as state:
            rows = state.deploy(
                options.jobs,
                partial(check_scrape, project=options.jobs),
                now_of(options),
                dry_run=options.dry_run,
                by=user_of(os.environ),
                warn=terminal.say,
            )
        effect = ("effect",) if any(row["jobs"] for row in rows) else ()
        print_rows(terminal, rows, options, ("change", "process", "jobs", *effect))
        if not rows:
            terminal.say("no process has changed")
        return DONE


VERB: Verb = Deploy()
