"""`scoopi tick`: runs one pass of the scheduler."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, SOME_FAILED
from scoopi.cli.schedule_verbs.operations import add_common, now_of, opened
from scoopi.cli.schedule_verbs.printed_rows import print_rows
from scoopi.cli.terminal import Terminal


class Tick:
    """Runs one pass and prints each decision."""

    usage = "scoopi tick [--now TIME] [options]"
    sentence = (
        "Runs one pass of the scheduler, with all that follows from its decisions, and prints each of them."
    )
    example = "scoopi tick\nscoopi tick --now 2026-03-29T06:00:00Z --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the common options."""
        add_common(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Run the pass.

        Returns:
            0, or 1 if it could not plan a process; the log has the reason.
        """
        from scoopi.serve.sources.source_client import SourceClient
        from scoopi.serve.workers.worker_heartbeat import count_tick

        with opened(options) as state:
            count_tick(state.store, state.current()[1].settings.liveness, now_of(options))
            sources = SourceClient(state.store, state.current, state.project, terminal.environ)
            sources.ask_all(now_of(options))
            rows = state.passes.run(now_of(options))
            is_whole = not state.passes.faults.found
        if rows is None:
            terminal.say("another pass is running; it checks again before it ends")
        elif not rows and not options.json:
            terminal.say("nothing to decide")
        shown = [{"name": row.get("attempt") or row.get("job"), **row} for row in rows or ()]
        print_rows(terminal, rows if options.json and rows else shown, options, _COLUMNS)
        return DONE if is_whole else SOME_FAILED


_COLUMNS = ("decision", "name", "from", "to", "gate", "reason")
VERB: Verb = Tick()
