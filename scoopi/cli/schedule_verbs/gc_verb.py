"""`scoopi gc`: removes records and folders of the scheduler that are older than its retention period."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.schedule_verbs.operations import add_common, now_of, opened
from scoopi.cli.schedule_verbs.printed_rows import print_rows
from scoopi.cli.terminal import Terminal


class CollectGarbage:
    """Runs one round of the garbage collector."""

    usage = "scoopi gc [--dry-run] [options]"
    sentence = (
        "Removes jobs, attempts, logs, workers and former projects that are older than the project's\n"
        "settings.gc.retention, and their folders in the state folder. scoopi serve does the same by itself."
    )
    example = "scoopi gc --dry-run\nscoopi gc --now 2027-01-01T00:00:00Z --dry-run --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add `--dry-run` and the common options."""
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would be removed, and remove nothing"
        )
        add_common(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Remove what is too old, unless with `--dry-run`, and print a row for each; the exit code is 0."""
        from scoopi.serve.gc.folder_collector import FolderCollector
        from scoopi.serve.gc.record_collector import RecordCollector

        now, is_dry = now_of(options), options.dry_run
        with opened(options) as state:
            collectors = (
                RecordCollector(state, now, is_dry=is_dry),
                FolderCollector(state, now, is_dry=is_dry),
            )
            rows = [each.row() for one in collectors for step in one.steps() for each in step]
        print_rows(terminal, rows, options, _COLUMNS)
        if not options.json and not rows:
            terminal.say("nothing is older than the retention period")
        return DONE


_COLUMNS = ("kind", "name", "reason")
VERB: Verb = CollectGarbage()
