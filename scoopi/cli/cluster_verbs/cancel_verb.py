"""`scoopi cancel`: stops a run on all nodes of a cluster."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_run_of_cluster, cluster_settings
from scoopi.cli.terminal import Terminal, printable


class Cancel:
    """Requests the shutdown of a run and returns without waiting for its nodes."""

    usage = "scoopi cancel RUN (--cluster HOST:PORT[,…] | --store URL) [options]"
    sentence = (
        "Stops a run on all its nodes: each finishes its running jobs, publishes and exits with 130.\n"
        "No work is lost: nodes that are started again with the name of the run continue it."
    )
    example = "scoopi cancel shop-1a2b3c4d-9f3e --cluster 10.0.0.7:5701"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add RUN, the cluster and the settings."""
        add_run_of_cluster(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Request the shutdown of the run's nodes.

        Returns:
            The exit code: 0, even if the run has already finished.
        """
        from scoopi.run_control import cancel_run

        settings = cluster_settings(options)
        asked = cancel_run(options.run_name, settings, conf=options.conf, environ=terminal.environ)
        name = printable(options.run_name)
        outcome = "its nodes are shutting down" if asked else "nothing to stop, it has finished"
        terminal.say(f"run {name}: {outcome}")
        return DONE


VERB: Verb = Cancel()
