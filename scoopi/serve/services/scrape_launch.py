"""launchable: makes the process of a scrape that is launched without one in the definitions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from scoopi.defs.schedule.schedule_reader import CheckScrape, known_inputs
from scoopi.errors import UsageError
from scoopi.model.schedule.process import Process, launched_name, launched_scrape
from scoopi.model.text.shown import did_you_mean
from scoopi.serve.state import State


def launchable(state: State, text: str, inputs: Mapping[str, str], check: CheckScrape | None) -> Process:
    """Return the process of a scrape of the current project that is launched without one.

    Args:
        text: `scrape:PATH[#GROUP,…]`; the path is relative to the project.
        inputs: the inputs of the launch.
        check: checks the scrape's definitions with these inputs; None leaves that to the attempt.
    Raises:
        UsageError: `text` is not a scrape, no project is deployed, or it has no definitions at the path.
        DefsError: the definitions of the scrape are invalid.
    """
    kind, _, what = text.partition(":")
    if kind != "scrape":
        hint = f'deploy a process with executes: "{text}", and launch that'
        raise UsageError(f"{text} cannot be launched without a process; only a scrape can", hint=hint)
    path, _, listed = what.partition("#")
    groups = tuple(dict.fromkeys(filter(None, map(str.strip, listed.split(",")))))
    defs = _definitions(state, path.strip("/"))
    process = launched_scrape(launched_name(path.strip("/"), groups))
    assert process is not None
    if check is not None:
        check(defs, known_inputs(msgspec.structs.replace(process, inputs=dict(inputs)))).raise_if_errors()
    return process


def _definitions(state: State, path: str) -> Path:
    """The folder or file of definitions at a path of the current project."""
    bundle, _ = state.current()
    if not bundle:
        raise UsageError("no project is deployed", hint="run scoopi deploy first")
    root = state.project(bundle)
    defs = root / path
    is_inside = path and ":" not in path and defs.resolve().is_relative_to(root.resolve())
    if not is_inside or not defs.exists():
        folders = [each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_dir()]
        hint = did_you_mean(path, folders, "name a folder of definitions in the project", "scrape:{}")
        raise UsageError(f"the deployed project has no definitions at {path or 'this path'}", hint=hint)
    return defs
