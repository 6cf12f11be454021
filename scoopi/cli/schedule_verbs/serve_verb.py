"""`scoopi serve`: runs the scheduler and the work of its attempts."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, code_of_signal
from scoopi.cli.options import add_verbose
from scoopi.cli.schedule_verbs.operations import add_state, opened
from scoopi.cli.signals import Signals
from scoopi.cli.terminal import Terminal


class Serve:
    """Serves the scheduler until a signal."""

    usage = "scoopi serve [JOBS] [options]"
    sentence = (
        "Deploys JOBS if given, runs passes of the scheduler, and runs the attempts that they place here,\n"
        "each in a process of its own. The first Ctrl-C or SIGTERM shuts down gracefully, the second at once."
    )
    example = (
        "scoopi serve jobs\nscoopi serve --state /var/lib/scoopi --slots 4\nscoopi serve jobs --until-idle"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """JOBS, and what this process does."""
        parser.add_argument(
            "jobs",
            metavar="JOBS",
            type=Path,
            nargs="?",
            help="project to deploy first (default: the current one)",
        )
        parser.add_argument(
            "--slots", metavar="N", type=_slots, help="attempts at a time (default: one per core)"
        )
        parser.add_argument("--name", metavar="W", help="name of its worker (default: the host name)")
        parser.add_argument("--no-schedule", action="store_true", help="run no passes, only attempts")
        parser.add_argument("--no-work", action="store_true", help="run no attempts, only passes")
        parser.add_argument(
            "--until-idle",
            action="store_true",
            help="exit when nothing runs, is due, or is to be tried again",
        )
        parser.add_argument("-q", "--quiet", action="store_true", help="print only warnings and errors")
        add_verbose(parser)
        add_state(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Serve.

        Returns:
            0, or 130, 143, 129 after a signal.
        Raises:
            DefsError: the project has errors (exit 3); the current one stays.
            UsageError: a live worker has the name.
        """
        from scoopi.app import check_scrape
        from scoopi.serve.serve_options import ServeOptions
        from scoopi.serve.server import Server
        from scoopi.serve.work.orders import Workshop

        with Signals(terminal) as signals, opened(options, must_exist=options.jobs is None) as state:
            if options.jobs is not None:
                state.deploy(options.jobs, check_scrape, datetime.now(UTC))
            serve_options = ServeOptions(
                options.name, options.slots, not options.no_schedule, not options.no_work, options.until_idle
            )
            folder = options.state.resolve()
            workshop = Workshop(
                folder / "work", folder, Path.cwd(), {"scrape": SCRAPE}, dict(terminal.environ)
            )
            notify = (lambda line: None) if options.quiet else terminal.say
            with Server(state, serve_options, workshop, os.cpu_count() or 1, notify) as server:
                signals.serve(server.cancel)
                notify(f"worker {server.name} serves {state.name}")
                server.run()
        return DONE if signals.number is None else code_of_signal(signals.number)


SCRAPE = "scoopi.scrape_attempt:run"


def _slots(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"needs a whole number from 1, got {text!r}")
    return int(text)


VERB: Verb = Serve()
