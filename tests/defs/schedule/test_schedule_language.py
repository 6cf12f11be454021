"""By the table of keys: every key takes its valid example and refuses the invalid one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.defs.schedule.process_keys import PROCESS
from scoopi.defs.schedule.schedule_language import Block, BlockKey
from scoopi.defs.schedule.settings_keys import SETTINGS
from tests.defs.schedule.project import Project


def keys_of(block: Block, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], BlockKey]]:
    """Each key of a block and of the blocks in it, with the path of names to it."""
    for key in block.keys:
        yield (*path, key.name), key
        if isinstance(key.kind, Block):
            yield from keys_of(key.kind, (*path, f"{key.name}[]" if key.kind.is_list else key.name))


KEYS = [*keys_of(PROCESS, ("processes", "p")), *keys_of(SETTINGS, ("settings",))]


def written(path: tuple[str, ...], key: BlockKey, value: str) -> str:
    """A project in which a key has a value, with what else the key needs."""
    inner = f"{key.name}: {value}\n{key.needs}"
    for name in reversed(path[:-1]):
        if name == "p":
            inner = f"{inner}\n{others(path, inner)}"
        is_list = name.endswith("[]")
        indented = textwrap.indent(inner.strip(), "    ")
        inner = f"{name.rstrip('[]')}:\n" + ("  - " + indented.strip() if is_list else indented)
    return inner if path[0] == "processes" else f"{inner}\nprocesses: {{p: {{executes: external:x}}}}"


def others(path: tuple[str, ...], inner: str) -> str:
    """What a process needs beside the key in question."""
    lines = []
    if "executes" not in inner:
        lines.append("executes: external:x")
    if "trigger" not in inner and ("qualifier:" in inner or "mode: managed" in inner):
        lines.append("trigger: {every: 60s}")
    if "depends_on" in inner and "qualifier" not in inner:
        lines.append("qualifier: daily\ntrigger: {every: 60s}")
    if path[2] == "trigger" and "slots: periods" in inner:
        lines.append("qualifier: daily")
    return "\n".join(lines)


@pytest.mark.parametrize(("path", "key"), KEYS, ids=[".".join(path) for path, _ in KEYS])
def test_a_key_takes_its_valid_example_and_refuses_the_invalid_one(
    path: tuple[str, ...], key: BlockKey, tmp_path: Path
) -> None:
    for value, is_valid in ((key.valid, True), (key.invalid, False)):
        project = Project(tmp_path / str(is_valid))
        (project.folder / "books").mkdir(parents=True)
        project.write(jobs=written(path, key, value), other="processes: {other: {executes: external:x}}")
        _, report = project.read()
        if is_valid:
            assert not report.errors, (written(path, key, value), report.errors)
        else:
            (finding,) = report.errors
            assert finding.place.line, finding
            assert key.name in finding.key, finding
            assert finding.hint or finding.did_you_mean, finding


@pytest.mark.parametrize(("path", "key"), KEYS, ids=[".".join(path) for path, _ in KEYS])
def test_a_misspelt_key_names_the_nearest(path: tuple[str, ...], key: BlockKey, tmp_path: Path) -> None:
    project = Project(tmp_path / "jobs")
    (project.folder / "books").mkdir(parents=True)
    text = written(path, key, key.valid).replace(f"{key.name}: {key.valid}", f"{key.name}x: {key.valid}", 1)
    project.write(jobs=text, other="processes: {other: {executes: external:x}}")
    _, report = project.read()
    unknown = [finding for finding in report.errors if finding.what == f"unknown key {key.name}x"]
    assert [finding.did_you_mean for finding in unknown] == [key.name]
