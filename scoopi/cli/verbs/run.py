"""`scoopi run`: runs definitions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoopi.cli.options import add_run_options, member_addresses
from scoopi.cli.session import carry_out
from scoopi.cli.terminal import Terminal
from scoopi.cli.verbs.verb import Verb


class Run:
    """Loads the pages of definitions and writes their rows."""

    usage = "scoopi run DEFS [options]"
    sentence = "Runs definitions: loads their pages and writes their rows to a new folder under output."
    example = (
        "scoopi run defs/examples/quickstart\n"
        "scoopi run shop.yml --output rows --workers 2 -D scoopi.loader.fetch.delay=250\n"
        "scoopi run shop.yml --cluster 10.0.0.7:5701,10.0.0.8:5701"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """DEFS and the options of a run."""
        parser.add_argument("defs", metavar="DEFS", type=Path, help="a folder of definitions, or one file")
        add_run_options(parser)
        parser.add_argument(
            "--cluster",
            metavar="HOST:PORT,…",
            type=member_addresses,
            help="be a node: take part in a run over all nodes of this Hazelcast cluster",
        )
        parser.add_argument(
            "--run",
            dest="run_name",
            metavar="NAME",
            help="the cluster's run to join or to begin; without it, the one of these definitions that is "
            "not over, else a new one",
        )
        parser.add_argument(
            "--anew",
            action="store_true",
            help="should the cluster have lost the run, or a part of it: put aside what rows of it are in "
            "the output folder, to .scoopi/lost-…, and begin it anew",
        )

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Run them; the code tells how it ended."""
        if options.cluster is not None:
            options.settings.append(f"scoopi.cluster.addresses={options.cluster}")
        return carry_out(
            options, terminal, options.defs, lambda scoopi: scoopi.run(), options.run_name, options.anew
        )


VERB: Verb = Run()
