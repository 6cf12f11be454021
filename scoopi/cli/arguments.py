"""Arguments: which verb a command line means, and the reading of its options."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import NoReturn, cast

from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.verbs.verb import Verb
from scoopi.errors import UsageError

VERBS: Mapping[str, str] = MappingProxyType(
    {
        "new": "write a first set of definitions, with its page, to a folder",
        "run": "run definitions: load their pages, write their rows",
        "resume": "go on with a run that was stopped",
        "check": "tell everything that is wrong with definitions",
        "config": "show every setting, and who set it",
        "status": "tell how the runs of a cluster go",
        "cancel": "stop a run on all nodes of a cluster",
        "forget": "remove what a cluster keeps of a run",
        "member": "start a Hazelcast member, for development and tests",
        "version": "show the versions of Scoopi and of what it runs on",
    }
)
"""Verb → what it does; its module has the same name."""

_RUN, _NEW, _CHECK = "use scoopi run DEFS", "use scoopi new DIR", "use scoopi check DEFS"
_STOP = "press Ctrl-C where the run was started, or use scoopi cancel RUN for a run of a cluster"
_STATUS = "use scoopi status for the runs of a cluster; others are folders below output"
_ONE_PAGE = "use scoopi.extract in Python, which reads one page"
FOREIGN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("crawl", "scrape", "spider", "runspider", "start", "exec", "execute", "go"), _RUN),
        **dict.fromkeys(("init", "create", "startproject", "genspider", "quickstart"), _NEW),
        **dict.fromkeys(("validate", "verify", "lint", "test"), _CHECK),
        **dict.fromkeys(("stop", "kill", "abort", "quit"), _STOP),
        **dict.fromkeys(("continue", "restart", "retry"), "use scoopi resume"),
        **dict.fromkeys(("list", "ls", "ps", "jobs", "runs", "show", "info"), _STATUS),
        **dict.fromkeys(("settings", "configure", "env"), "use scoopi config"),
        **dict.fromkeys(("server", "serve", "cluster"), "use scoopi member"),
        **dict.fromkeys(("shell", "parse", "fetch", "view", "extract"), _ONE_PAGE),
    }
)
"""Commands of other tools, and of habit -> what to do here instead."""
_NEAR, _NEAR_VERB = 0.7, 0.6


class Parser(argparse.ArgumentParser):
    """A parser whose faults are UsageErrors that say where help is."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"see {self.prog} --help")


def top_help() -> str:
    """What `scoopi --help` prints."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:<{width}}  {sentence}" for verb, sentence in VERBS.items())
    return f"""usage: scoopi DEFS [options]
       scoopi VERB [arguments]

Definitions in, rows out, each exactly once. DEFS is a folder of YAML definitions, or one file;
`scoopi DEFS` is short for `scoopi run DEFS`.

verbs:
{verbs}

examples:
  scoopi new demo
  scoopi demo
  scoopi defs/examples/quickstart

`scoopi VERB --help` tells what a verb takes."""


def verb_of(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The verb that a command line means, and what is left of the line.

    Raises:
        UsageError: the first word is no verb, and nothing that exists has that name.
    """
    first = arguments[0]
    if first in VERBS:
        return first, arguments[1:]
    if not first.startswith("-") and not os.path.lexists(first):
        _refuse_misspelt(first, arguments[1:])
    return "run", arguments


def read_options(name: str, arguments: Sequence[str]) -> tuple[Verb, argparse.Namespace]:
    """The verb's object and its options.

    Raises:
        UsageError: the arguments are not what the verb takes.
        SystemExit: help was asked for and printed.
    """
    verb = cast(Verb, import_module(f"scoopi.cli.verbs.{name}").VERB)
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
        _refuse_unknown(parser, unknown)
    return verb, options


def run_verb(verb: Verb, options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the verb with the log on the terminal."""
    from scoopi.cli.log import log_to

    with log_to(terminal, getattr(options, "verbose", False)):
        return verb.run(options, terminal)


def _refuse_misspelt(word: str, rest: Sequence[str]) -> None:
    """What is no verb may be definitions that are missing: those have a better message."""
    what = f"no such command {printable(word)}"
    if word.lower() in FOREIGN:
        raise UsageError(what, hint=FOREIGN[word.lower()])
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), VERBS, n=1, cutoff=_NEAR_VERB)
    if near:
        raise UsageError(f"{what}, and no such file or folder", hint=f"did you mean scoopi {near[0]}?")
    if rest and not rest[0].startswith("-") and not {*word} & {"/", "."}:
        raise UsageError(f"{what}, and no such file or folder", hint="see scoopi --help")


def _refuse_unknown(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    from difflib import get_close_matches

    word = unknown[0].partition("=")[0]
    known = [option for action in parser._actions for option in action.option_strings]
    near = get_close_matches(word, known, n=1, cutoff=_NEAR) if word.startswith("-") else []
    kind = "option" if word.startswith("-") else "argument"
    hint = f"did you mean {near[0]}?" if near else f"see {parser.prog} --help"
    raise UsageError(f"{parser.prog} takes no {kind} {word}", hint=hint)
