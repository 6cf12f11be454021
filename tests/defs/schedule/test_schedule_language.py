"""By the table of keys: each takes its valid example and refuses the invalid one; none is without effect."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.defs.schedule.keys.process_keys import PROCESS
from scoopi.defs.schedule.keys.settings_keys import SETTINGS
from scoopi.defs.schedule.schedule_language import ANY, Block, BlockKey
from scoopi.defs.yaml.findings import Finding
from tests.defs.schedule.project import Project

Names = tuple[str, ...]

SCOOPI = Path(__file__).parents[3] / "scoopi"
ELSEWHERE = {
    "executes.scrape": "a kind of an executable",
    "executes.external": "a kind of an executable",
    "executes.accept.failed_pages": "read in scoopi/scrape_attempt.py",
    "executes.accept.min_rows": "read in scoopi/scrape_attempt.py",
    "executes.accept.less_than_last": "read in scoopi/scrape_attempt.py",
}
"""Keys that are read under another name, or in another room."""


def keys(block: Block, path: str = "") -> Iterator[tuple[str, BlockKey]]:
    """All keys that hold values, with their paths; none below one without effect."""
    for key in block.keys:
        name = f"{path}{key.name}"
        if isinstance(key.kind, Block) and key.idle != ANY:
            yield from keys(key.kind, f"{name}.")
        else:
            yield name, key


def test_every_key_is_read_outside_of_the_language_or_is_declared_to_have_no_effect() -> None:
    rooms = ("scheduler", "serve", "store/schedule", "cli/schedule_verbs", "periods", "model/schedule")
    files = [file for room in rooms for file in (SCOOPI / room).rglob("*.py")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    declared = [*keys(PROCESS), *keys(SETTINGS)]

    unread = {name for name, key in declared if not re.search(rf"\.{key.name}\b", text) and key.idle != ANY}

    assert unread == {*ELSEWHERE}


def keys_of(block: Block, path: Names) -> Iterator[tuple[Names, BlockKey]]:
    """Each key of a block and of the blocks in it, with the names that lead to it; `[]` marks a list."""
    for key in block.keys:
        yield (*path, key.name), key
        if isinstance(key.kind, Block):
            yield from keys_of(key.kind, (*path, f"{key.name}[]" if key.kind.is_list else key.name))


KEYS = [*keys_of(PROCESS, ("processes", "p")), *keys_of(SETTINGS, ("settings",))]
NEEDS = {path: key.needs for path, key in KEYS}
each_key = pytest.mark.parametrize(("path", "key"), KEYS, ids=[".".join(path) for path, _ in KEYS])


def project_with(path: Names, key: BlockKey, line: str) -> str:
    """A project with one line about a key, and with what else the key needs."""
    inner = f"{line}\n{key.needs}"
    for depth in reversed(range(len(path) - 1)):
        name = path[depth]
        if name == "p":
            inner = f"{inner}\n{others(path, inner)}"
        indented = textwrap.indent(inner.strip(), "    ")
        inner = (
            f"{name.removesuffix('[]')}:\n" + ("  - " if name.endswith("[]") else "    ") + indented.strip()
        )
        inner += f"\n{NEEDS.get(path[: depth + 1], '')}"
    return inner if path[0] == "processes" else f"{inner}\nprocesses: {{p: {{executes: external:x}}}}"


def others(path: Names, inner: str) -> str:
    """What a process needs beside the key in question."""
    lines = []
    if "executes" not in inner:
        lines.append("executes: python:actions:load")
    if "trigger" not in inner and ("qualifier:" in inner or "mode: managed" in inner):
        lines.append("trigger: {every: 60s}")
    if "depends_on" in inner and "qualifier" not in inner:
        lines.append("qualifier: daily\ntrigger: {every: 60s}")
    if path[2] == "trigger" and "slots: periods" in inner:
        lines.append("qualifier: daily")
    return "\n".join(lines)


def errors_of(folder: Path, text: str) -> tuple[Finding, ...]:
    project = Project(folder)
    (project.folder / "books").mkdir(parents=True)
    other = "processes: {other: {executes: external:x, qualifier: daily, trigger: {}}}"
    return project.write(jobs=text, other=other).read()[1].errors


def place_of(text: str, words: str) -> tuple[int, int]:
    """Line and column of the first occurrence, from 1."""
    before = text[: text.index(words)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


@each_key
def test_a_key_takes_its_valid_example(path: Names, key: BlockKey, tmp_path: Path) -> None:
    text = project_with(path, key, f"{key.name}: {key.valid}")

    assert not errors_of(tmp_path / "jobs", text), text


@each_key
def test_an_invalid_value_is_one_error_with_place_and_hint(
    path: Names, key: BlockKey, tmp_path: Path
) -> None:
    line = f"{key.name}: {key.invalid}"
    text = project_with(path, key, line)

    (finding,) = errors_of(tmp_path / "jobs", text)

    line_number, column = place_of(text, line)
    assert finding.place.file.endswith("jobs.yml")
    assert finding.place.line == line_number, (text, finding)
    assert finding.place.column in range(column, column + len(line)), (text, finding)
    assert key.name in finding.key
    assert finding.hint or finding.did_you_mean


@each_key
def test_a_misspelt_key_is_one_error_that_names_the_nearest(
    path: Names, key: BlockKey, tmp_path: Path
) -> None:
    text = project_with(path, key, f"{key.name}: {key.valid}\n{key.name}x: {key.valid}")

    (finding,) = errors_of(tmp_path / "jobs", text)

    assert finding.what == f"unknown key {key.name}x"
    assert finding.did_you_mean == key.name
    assert (finding.place.line, finding.place.column) == place_of(text, f"{key.name}x:")


@pytest.mark.parametrize(
    ("path", "key"),
    [(path, key) for path, key in KEYS if key.required],
    ids=[".".join(path) for path, key in KEYS if key.required],
)
def test_a_missing_key_is_one_error_that_shows_how_to_add_it(
    path: Names, key: BlockKey, tmp_path: Path
) -> None:
    text = project_with(path, key, "" if key.needs else "slot: same")

    (finding,) = errors_of(tmp_path / "jobs", text)

    assert finding.what == f"{key.name} is missing"
    assert key.valid in finding.hint
    assert finding.place.line


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("namespace: 7 up", "namespace"),
        ("processes: [p]", "processes"),
        ("settings: 10s", "settings"),
    ],
)
def test_an_invalid_section_is_one_error_with_place_and_hint(text: str, key: str, tmp_path: Path) -> None:
    (finding,) = errors_of(tmp_path / "jobs", text)

    assert finding.key == key
    assert finding.place.line == 1
    assert finding.hint


@pytest.mark.parametrize(
    "name",
    [*PROCESS.later, *(f"settings.{name}" for name in SETTINGS.later), "settings.worker.interval_limit"],
)
def test_a_key_of_a_later_version_is_one_error_that_says_so(name: str, tmp_path: Path) -> None:
    *_, key = name.split(".")
    line = f"{key}: 1m"
    if name.startswith("settings."):
        inner = f"{{worker: {{{line}}}}}" if "worker" in name else f"{{{line}}}"
        text = f"settings: {inner}\nprocesses: {{p: {{executes: external:x}}}}"
    else:
        text = f"processes: {{p: {{executes: external:x, {line}}}}}"
    (finding,) = errors_of(tmp_path / "jobs", text)
    assert finding.what == f"{key} is not supported by this version"
    assert (finding.place.line, finding.place.column) == place_of(text, line)


@pytest.mark.parametrize(
    "text",
    [
        "processes: {p: {executes: external:x, blocking: normal, cost: 1, allow_simultaneous: true, "
        "uses: [], sticky: false, refresh: [], updates: wait, depends_on: [], probe: [], notify: []}}",
        "processes: {p: {executes: external:x, blocking: blocking_normal}}",
        "processes: {p: {executes: external:x, blocking: [normal, blocking_normal]}}",
        "settings: {tree_timezone: UTC, reserve_after: 10m, pause: {expire: never}, script: {timeout: 60s},\n"
        "  expression: {steps: 100000, size: 1MiB, depth: 100}, worker: {interval_limit: 60s}, notify: []}",
        "trees: {}\nresources: {}\ngroups: {}\nimports: {}\nflows: []\nproperties: []\nvalues: json",
        "extensions: {a: [1]}\nobject_repository: x",
    ],
)
def test_the_default_of_a_key_of_a_later_version_may_be_written(text: str, tmp_path: Path) -> None:
    process = "" if "processes" in text else "processes: {p: {executes: external:x}}"
    _, report = Project(tmp_path / "jobs").write(jobs=f"{text}\n{process}").read()
    assert not report.findings


@pytest.mark.parametrize("value", ["children", "blocking_dependencies", "[normal, children]", "[]"])
def test_what_blocking_means_in_a_tree_is_refused_and_the_default_is_named(
    value: str, tmp_path: Path
) -> None:
    text = f"processes: {{p: {{executes: external:x, blocking: {value}}}}}"
    (finding,) = errors_of(tmp_path / "jobs", text)
    assert finding.what == "blocking is not supported by this version"
    assert finding.hint == "leave it out, or write its default, normal"


def test_a_start_deadline_of_no_time_is_a_warning_that_names_none(tmp_path: Path) -> None:
    text = "processes: {p: {executes: external:x, start_deadline: 0s}}"
    (finding,) = Project(tmp_path / "jobs").write(jobs=text).read()[1].findings
    assert (finding.what, finding.hint) == (
        "start_deadline: 0s is over as soon as it begins",
        "write none for no limit",
    )


@pytest.mark.parametrize("key", ["timeout: {run: 0s}", "timeout: {queue: 0m}", "retry: {give_up_after: 0s}"])
def test_a_limit_of_no_time_is_a_warning_that_names_never(key: str, tmp_path: Path) -> None:
    _, report = (
        Project(tmp_path / "jobs").write(jobs=f"processes: {{p: {{executes: external:x, {key}}}}}").read()
    )
    (finding,) = report.findings
    assert not report.errors
    assert finding.what == f"{key.partition('{')[2][:-1]} is over as soon as it begins"
    assert finding.hint == "write never for no limit"


def test_no_key_is_a_boolean_of_yaml() -> None:
    assert not {key.name for _, key in KEYS} & {"on", "off", "yes", "no", "y", "n"}


@pytest.mark.parametrize("word", ["none", "never"])
def test_no_start_deadline_is_written_as_none(word: str, tmp_path: Path) -> None:
    text = f"processes: {{p: {{executes: external:x, start_deadline: {word}}}}}"
    schedule, report = Project(tmp_path / "jobs").write(jobs=text).read()
    assert not report.errors
    assert schedule.processes["p"].start_deadline is None


@pytest.mark.parametrize(("given", "warned"), [("0", False), ("4", True), ("10", True)])
def test_a_limit_of_the_steps_of_flows_is_a_warning(given: str, warned: bool, tmp_path: Path) -> None:
    text = f"processes: {{p: {{executes: external:x, max_parallel: {given}}}}}"
    _, report = Project(tmp_path / "jobs").write(jobs=text).read()
    assert [finding.what for finding in report.findings] == (
        [f"max_parallel: {given} has no effect in this version"] if warned else []
    )


@pytest.mark.parametrize("line", ["children: false", "branches: true"])
def test_what_a_cancel_does_with_trees_and_flows_is_a_warning(line: str, tmp_path: Path) -> None:
    text = f"settings: {{cancel: {{cascade: {{{line}}}}}}}\nprocesses: {{p: {{executes: external:x}}}}"
    _, report = Project(tmp_path / "jobs").write(jobs=text).read()
    (finding,) = report.findings
    assert finding.what == f"{line.partition(':')[0]} has no effect in this version"
