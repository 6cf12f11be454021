"""Arguments: finds the verb of a command line and reads its options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import NoReturn, Protocol, cast

from scoopi.cli.terminal import Terminal, printable
from scoopi.errors import UsageError
from scoopi.model.text.shown import did_you_mean, nearest

VERBS: Mapping[str, str] = MappingProxyType(
    {
        "new": "create a folder with example definitions and their pages",
        "run": "run definitions: load their pages and write their rows",
        "resume": "continue a run that was stopped or killed",
        "retry": "run the failed tasks of a finished run again",
        "rows": "print the rows of a run that have been committed so far",
        "check": "report every problem in definitions without running them",
        "fetch": "load one page as a run does, and show its requests and responses",
        "parse": "show the records of one page, and what each field found",
        "show": "show definitions without short forms, with the place of each value",
        "config": "show every setting, its value and its source",
        "status": "show the runs of a cluster, their nodes and their progress",
        "politeness": "show the requests that each host of a run has received",
        "cancel": "stop a run on all nodes of its cluster",
        "forget": "remove a run's data from its cluster",
        "deploy": "check a project of the scheduler and make it current",
        "serve": "run the scheduler, and the work of its processes",
        "tick": "run one pass of the scheduler and print its decisions",
        "launch": "create a job of a process by hand",
        "process": "show, pause and resume processes; their next slots",
        "job": "show, explain, skip, cancel and repeat jobs",
        "attempt": "show attempts; claim and end them from other programs",
        "worker": "show and register workers",
        "group": "show the groups of workers, and their free capacity",
        "gc": "remove what is older than the scheduler's retention period",
        "period": "calculate with periods: hours, days, months and years",
        "member": "start a Hazelcast member, for development and tests",
        "version": "show the versions of Scoopi and its components",
    }
)
"""Verb -> what it does; its module is `<verb>_verb.py` in `verbs`, `cluster_verbs` or `schedule_verbs`."""
_CLUSTER = frozenset({"status", "cancel", "forget", "member"})
_SCHEDULE = frozenset(
    {"deploy", "serve", "tick", "launch", "process", "job", "attempt", "worker", "group", "gc", "period"}
)

_RUN, _NEW, _CHECK = "use scoopi run DEFS", "use scoopi new DIR", "use scoopi check DEFS"
_STOP = "press Ctrl-C where the run was started, or use scoopi cancel RUN for a run of a cluster"
_STATUS = "use scoopi status for the runs of a cluster; other runs are folders in the output folder"
_ONE_PAGE = "use scoopi parse DEFS FILE, or scoopi.extract in Python; scoopi fetch loads a page"
FOREIGN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("crawl", "scrape", "spider", "runspider", "start", "exec", "execute", "go"), _RUN),
        **dict.fromkeys(("init", "create", "startproject", "genspider", "quickstart"), _NEW),
        **dict.fromkeys(("validate", "verify", "lint", "test"), _CHECK),
        **dict.fromkeys(("stop", "kill", "abort", "quit"), _STOP),
        **dict.fromkeys(("continue", "restart"), "use scoopi resume"),
        **dict.fromkeys(("list", "ls", "ps", "jobs", "runs", "info"), _STATUS),
        **dict.fromkeys(("settings", "configure", "env"), "use scoopi config"),
        **dict.fromkeys(("server", "cluster"), "use scoopi member"),
        **dict.fromkeys(("shell", "view", "extract"), _ONE_PAGE),
        **{verb: f"use scoopi job {verb} JOB" for verb in ("why", "skip", "clear", "reprocess")},
        **{verb: f"use scoopi process {verb} PROCESS" for verb in ("next", "pause", "backfill")},
    }
)
"""Command of another tool, or an operation without its verb -> what to use instead."""


class Verb(Protocol):
    """One command of the program; each module of the folders of verbs has one, named `VERB`."""

    usage: str
    """The synopsis that `--help` shows."""
    sentence: str
    """What the verb does, in one or two sentences."""
    example: str
    """Commands to copy, one a line."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare options and arguments."""

    def run(self, options: argparse.Namespace, terminal: Terminal) -> int:
        """Run the verb.

        Returns:
            The exit code.
        Raises:
            ScoopiError: the verb failed; `exit_codes` maps the error to an exit code.
        """


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError with a hint to use `--help`."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"see {self.prog} --help")


def top_help() -> str:
    """The text of `scoopi --help`."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:<{width}}  {sentence}" for verb, sentence in VERBS.items())
    return f"""usage: scoopi DEFS [options]
       scoopi VERB [arguments]

Loads web pages and writes their data as rows, each exactly once, as YAML definitions describe it.
DEFS is a folder of definitions or one file; `scoopi DEFS` is short for `scoopi run DEFS`.

verbs:
{verbs}

examples:
  scoopi new demo
  scoopi demo
  scoopi defs/examples/quickstart

Run `scoopi VERB --help` for the options of a verb."""


def verb_of(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the verb of a command line, and its arguments.

    Raises:
        UsageError: the first word is neither a verb nor an existing file or folder.
    """
    first = arguments[0]
    if first in VERBS:
        return first, arguments[1:]
    if not first.startswith("-") and not os.path.lexists(first):
        _refuse_misspelt(first, arguments[1:])
    return "run", arguments


def ensure_verb(word: str) -> None:
    """Check that a word names a verb, for `scoopi help VERB`.

    Raises:
        UsageError: there is no such verb.
    """
    if word not in VERBS:
        near = nearest(word, VERBS)
        hint = f"did you mean scoopi help {near}?" if near else "see scoopi --help"
        raise UsageError(_unknown(word), hint=FOREIGN.get(word.lower(), hint))


def _folder_of(name: str) -> str:
    """The package that has the module of a verb."""
    if name in _CLUSTER:
        return "cluster_verbs"
    return "schedule_verbs" if name in _SCHEDULE else "verbs"


def read_options(name: str, arguments: Sequence[str]) -> tuple[Verb, argparse.Namespace]:
    """Import a verb and parse its options.

    Raises:
        UsageError: the verb does not accept the arguments.
        SystemExit: help was requested and printed.
    """
    verb = cast(Verb, import_module(f"scoopi.cli.{_folder_of(name)}.{name}_verb").VERB)
    parser = Parser(
        prog=f"scoopi {name}",
        usage=verb.usage,
        description=verb.sentence,
        epilog="example:\n" + "\n".join(f"  {line}" for line in verb.example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_arguments(parser)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse_unknown(getattr(options, "parser", parser), unknown)
    return verb, options


def run_verb(verb: Verb, options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the verb, show its log on the terminal, and return its exit code."""
    from scoopi.cli.log import log_to

    terminal.is_json = getattr(options, "log_format", "text") == "json"
    with log_to(terminal, getattr(options, "verbose", False)):
        return verb.run(options, terminal)


def _refuse_misspelt(word: str, rest: Sequence[str]) -> None:
    """Raise UsageError if the word looks like a verb; missing definitions get a better message later."""
    what = _unknown(word)
    if word.lower() in FOREIGN:
        raise UsageError(what, hint=FOREIGN[word.lower()])
    near = nearest(word, VERBS)
    if near:
        raise UsageError(f"{what}, and no such file or folder", hint=f"did you mean scoopi {near}?")
    if rest and not rest[0].startswith("-") and not {*word} & {"/", "."}:
        raise UsageError(f"{what}, and no such file or folder", hint="see scoopi --help")


def _unknown(word: str) -> str:
    return f"unknown command {printable(word)}"


def _refuse_unknown(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    word = unknown[0].partition("=")[0]
    known = [option for action in parser._actions for option in action.option_strings]
    kind, known = ("option", known) if word.startswith("-") else ("argument", [])
    hint = did_you_mean(word, known, f"see {parser.prog} --help")
    raise UsageError(f"unknown {kind} {printable(word)}", hint=hint)
