"""`scoopi attempt`: shows attempts; programs and people claim and end them with it."""

from __future__ import annotations

import codecs
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import inputs_of_file, read_inputs
from scoopi.cli.schedule_verbs.operations import add_operations, now_of, opened, services
from scoopi.cli.schedule_verbs.printed_rows import print_fields, print_rows
from scoopi.cli.terminal import Terminal, poll_until
from scoopi.errors import DamagedBundleError, DefsError, UsageError
from scoopi.model.schedule.process import EXTERNAL
from scoopi.model.schedule.schedule_records import PAST, AttemptRecord, AttemptStatus
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.claims.claim import Claim
from scoopi.serve.rows import attempt_row
from scoopi.serve.state import State
from scoopi.serve.work.attempt_environment import attempt_folder, node_folder
from scoopi.serve.work.attempt_log import LogReader, left_out_line
from scoopi.serve.workers.worker_name import home_of

_COLUMNS = ("attempt", "status", "worker", "fence", "started", "explanation")
_OPERATIONS = {
    "list": (
        "list live attempts, or all of a job, of a process, or with a status",
        ("--job", "--process", "--status"),
    ),
    "show": ("show one attempt", ("attempt",)),
    "log": ("print the output of an attempt", ("attempt", "--node", "-f")),
    "claim": ("claim waiting attempts for a registered worker", ("--worker", "--limit")),
    "beat": ("report progress; prints `go on`, or `cancel` if the attempt is to end", ("attempt", "--fence")),
    "end": (
        "end an attempt",
        ("attempt", "--fence", "--status", "--output", "--outputs", "--result", "--explanation"),
    ),
}


class Attempts:
    """Executes an operation on attempts, such as `list` or `end`."""

    usage = "scoopi attempt {list,show,log,claim,beat,end} [ATTEMPT] [options]"
    sentence = "Shows attempts. Workers in other languages, and people, claim and end them with this verb."
    example = (
        "scoopi attempt claim --worker press\n"
        "scoopi attempt end 'print/!1/1' --fence 1 --status succeeded --output pages=12"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the operations."""
        add_operations(parser, _OPERATIONS, get_args(AttemptStatus))

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Carry out the operation.

        Raises:
            UsageError: the attempt or worker is unknown, or the fence is outdated.
            StateRefusedError: the worker is draining or lost, has signed off, or was removed.
        """
        if options.operation in ("list", "show"):
            with services(options) as (_, jobs):
                if options.operation == "list":
                    rows = list(jobs.attempts.rows(options.job, options.process, options.state_of))
                    if not rows and not (options.job or options.process or options.state_of):
                        terminal.say(
                            "no attempt is live; see those of a job with --job, --process or --status"
                        )
                    print_rows(terminal, rows, options, _COLUMNS)
                else:
                    print_fields(terminal, jobs.attempts.show(options.attempt), options)
        elif options.operation == "log":
            self._log(options, terminal)
        elif options.operation == "claim":
            self._claim(options, terminal)
        else:
            self._report(options, terminal)
        return DONE

    def _log(self, options: Namespace, terminal: Terminal) -> None:
        with services(options) as (_, jobs), opened(options) as state:
            claim = _claim_of(jobs.attempts.record(options.attempt), options.node)
            _ensure_own_log(state, claim.attempt)

            def is_over() -> bool:
                attempt = jobs.attempts.record(options.attempt)
                return not options.follow or Claim(attempt, options.node).is_over

            shown = _ShownLog(terminal, options, claim)
            folder = node_folder(attempt_folder(state.folder / "work", claim.attempt), claim.node)
            if not _is_here(state, claim, folder):
                for _ in poll_until(is_over):
                    pass
                current = Claim(jobs.attempts.record(options.attempt), options.node)
                shown.add(_kept_text(state, current))
                shown.end()
                return
            if claim.attempt.phase == PAST and claim.has_started and not folder.exists():
                raise UsageError(f"the log of {claim.name} was removed", hint=_KEPT)
            if not (claim.has_started or options.follow or options.json):
                terminal.say(f"{claim.name} has printed nothing: it has not started")
            reader = LogReader(folder, _log_limit(state, claim.attempt))
            decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
            for _ in poll_until(is_over):
                shown.add("".join(decoder.decode(data) for data in reader.read()))
            shown.end()

    def _claim(self, options: Namespace, terminal: Terminal) -> None:
        with opened(options) as state:
            worker = state.store.workers().get(options.worker)
            external = {
                name: process.executes.what[0]
                for name, process in state.current()[1].processes.items()
                if process.executes.kind == EXTERNAL
                and (worker is None or not {*worker.groups}.isdisjoint(process.groups))
            }
            claimed = AttemptClaims(state.store).claim(
                options.worker, now_of(options), external, options.limit
            )
        rows = [attempt_row(attempt) for attempt in claimed]
        print_rows(terminal, rows, options, ("attempt", "fence", "inputs"))
        if not rows and not options.json:
            terminal.say(f"worker {options.worker} has no free capacity, or no attempt waits for it")

    def _report(self, options: Namespace, terminal: Terminal) -> None:
        with services(options) as (_, jobs), opened(options) as state:
            attempt = jobs.attempts.record(options.attempt)
            claims, now = AttemptClaims(state.store), now_of(options)
            if options.operation == "beat":
                row = attempt_row(claims.progress(attempt, options.fence, now))
                if not options.json:
                    terminal.give("cancel" if row["wish"] == "cancel" else "go on")
                    return
            else:
                ended = claims.end(
                    attempt,
                    options.fence,
                    options.status,
                    now,
                    outputs=_outputs(options),
                    result=options.result,
                    explanation=options.explanation,
                )
                row = attempt_row(ended)
        print_fields(terminal, row, options)


class _ShownLog:
    """Prints a log as it grows: as text, or with `--json` as one object per line."""

    def __init__(self, terminal: Terminal, options: Namespace, claim: Claim) -> None:
        self._terminal, self._options = terminal, options
        self._row = {"attempt": claim.attempt.attempt, "node": claim.node}
        self._rest = ""

    def add(self, text: str) -> None:
        """Print the next part of the log."""
        if self._options.json:
            *lines, self._rest = (self._rest + text).split("\n")
            print_rows(self._terminal, [self._row | {"line": line} for line in lines], self._options)
        elif text:
            self._terminal.give(text.removesuffix("\n"))

    def end(self) -> None:
        """Print the last line of the log if it has no line break."""
        if self._rest:
            self.add("\n")


def _ensure_own_log(state: State, attempt: AttemptRecord) -> None:
    """Check that Scoopi executes the attempt, and so has its log.

    Raises:
        UsageError: a worker outside of Scoopi executes the attempt.
    """
    try:
        executes = state.process(attempt).executes
    except (DamagedBundleError, DefsError, UsageError):  # its definitions are gone; the log may be there
        return
    if executes.kind == EXTERNAL:
        what = f"{attempt.attempt} is executed outside of Scoopi, by external:{executes.what[0]}"
        raise UsageError(what, hint="its worker keeps the log")


_KEPT = "logs are kept for settings.gc.retention.logs after the end of an attempt, by default 7 days"


def _log_limit(state: State, attempt: AttemptRecord) -> int:
    """The limit of the log in bytes, by the definitions of the attempt, else by the current ones."""
    try:
        return state.schedule(attempt.bundle).settings.log.limit
    except (DamagedBundleError, UsageError):
        return state.current()[1].settings.log.limit


def _claim_of(attempt: AttemptRecord, number: int) -> Claim:
    """Return the claim of an attempt, or of one node of its run.

    Raises:
        UsageError: the attempt has no node with this number.
    """
    claim = Claim(attempt, number)
    if not claim.exists:
        has = f"it has nodes 1 to {len(attempt.nodes) + 1}" if attempt.nodes else "it has one node"
        raise UsageError(f"unknown node {number} of {attempt.attempt}", hint=has)
    return claim


def _is_here(state: State, claim: Claim, folder: Path) -> bool:
    """Whether the log of a claim's last worker is in this state folder."""
    worker = state.store.workers().get(claim.worker) if state.is_shared else None
    if worker is not None and worker.home:
        return worker.home == home_of(state.folder)
    return folder.exists() or not state.is_shared


def _kept_text(state: State, claim: Claim) -> str:
    """Return the end of a log that the store keeps, as the attempt or node ran on another machine.

    Raises:
        UsageError: the store has no log of it.
    """
    kept = state.store.kept_log(claim.attempt, claim.node)
    if kept is None:
        if not claim.has_started:
            raise UsageError(f"{claim.name} has printed nothing: it has not started")
        what = f"the log of {claim.name} is not in {state.folder}"
        where = f"run this where worker {claim.worker or 'of the attempt'} runs, with its --state"
        is_over = claim.is_over
        hint = f"{where}; {_KEPT}" if is_over else f"it is kept here when it ends; until then {where}"
        raise UsageError(what, hint=hint)
    before = left_out_line(kept.before) if kept.before else b""
    return (before + kept.data).decode("utf-8", "backslashreplace")


def _outputs(options: Namespace) -> dict[str, str]:
    try:
        found = inputs_of_file(options.outputs) if options.outputs else {}
        return found | read_inputs(options.inputs)
    except UsageError as error:
        raise UsageError(error.what.replace("input", "output"), hint="write --output NAME=VALUE") from error


VERB: Verb = Attempts()
