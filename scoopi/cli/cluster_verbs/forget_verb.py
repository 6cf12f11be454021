"""`scoopi forget`: removes a run's data from its cluster."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, INTERRUPTED
from scoopi.cli.options import add_run_of_cluster, cluster_settings
from scoopi.cli.terminal import Terminal, printable
from scoopi.errors import UsageError


class Forget:
    """Removes a run's data from its cluster; asks for confirmation if nodes still work on it."""

    usage = "scoopi forget RUN (--cluster HOST:PORT[,…] | --store URL) [--yes] [options]"
    sentence = (
        "Removes all data of a run, finished or not, from its cluster. Output files are kept.\n"
        "An unfinished run cannot be continued afterwards, and its unpublished rows stay unpublished."
    )
    example = "scoopi forget shop-1a2b3c4d-9f3e --cluster 10.0.0.7:5701"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, the cluster and `--yes`."""
        parser.add_argument(
            "-y",
            "--yes",
            action="store_true",
            help="remove it even if nodes still work on it",
        )
        add_run_of_cluster(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Remove the data; the exit code is 130 if the user declines."""
        from scoopi.run_control import forget_run

        name = printable(options.run_name)

        def is_sure(nodes: Sequence[str]) -> bool:
            return bool(options.yes) or _confirmed(name, nodes, terminal)

        settings = cluster_settings(options)
        is_removed = forget_run(
            options.run_name, settings, is_sure=is_sure, conf=options.conf, environ=terminal.environ
        )
        terminal.say(f"run {name}: {'removed from the cluster' if is_removed else 'nothing was removed'}")
        return DONE if is_removed else INTERRUPTED


def _confirmed(name: str, nodes: Sequence[str], terminal: Terminal) -> bool:
    """Ask the user for confirmation.

    Raises:
        UsageError: stdin is not a terminal.
    """
    working = ", ".join(map(printable, nodes))
    if not sys.stdin.isatty():
        raise UsageError(
            f"nodes still work on the run {name} ({working})",
            hint=f"stop them with `scoopi cancel {name}`, or add --yes",
        )
    terminal.say(f"nodes still work on the run {name} ({working}); remove it anyway? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


VERB: Verb = Forget()
