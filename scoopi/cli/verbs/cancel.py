"""`scoopi cancel`: stops a run on all nodes of a cluster."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_cluster, add_settings, add_verbose, cluster_settings
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.verbs.verb import Verb


class Cancel:
    """Asks, and does not wait for the nodes."""

    usage = "scoopi cancel RUN --cluster HOST:PORT[,…] [options]"
    sentence = (
        "Stops a run on all its nodes: each ends its jobs at hand, publishes, leaves and exits with 130.\n"
        "The run is not lost: nodes that are started again with its name go on with it."
    )
    example = "scoopi cancel shop-1a2b3c4d-9f3e --cluster 10.0.0.7:5701"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """RUN and where the cluster is."""
        parser.add_argument("run_name", metavar="RUN", help="the run's name, as scoopi status tells it")
        add_cluster(parser)
        add_settings(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Ask for it; 0, saying so, when the run is at its end anyway."""
        from scoopi.app import cancel_run

        settings = cluster_settings(options)
        asked = cancel_run(options.run_name, settings, conf=options.conf, environ=terminal.environ)
        name = printable(options.run_name)
        said = (
            "all nodes that work on it are asked to stop"
            if asked
            else "nothing to stop, it has come to its end"
        )
        terminal.say(f"run {name}: {said}")
        return DONE


VERB: Verb = Cancel()
