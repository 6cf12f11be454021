"""The tables of the documentation say what the code says."""

from __future__ import annotations

import ast
import json
import re
import signal
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from scoopi.cli import exit_codes
from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.model.failure import Failure
from scoopi.model.report.causes import Cause
from scoopi.runs.run_file import RunFile, RunView
from tests.docs.markdown import ROOT, Page

OUTPUT, ARCHITECTURE = Page("docs/output.md"), Page("ARCHITECTURE.md")
EXAMPLES = Page("defs/examples/README.md")
PACKAGE = ROOT / "scoopi"
EVERYWHERE = {"model", "errors.py", "version.py"}


def test_the_exit_codes_are_those_of_the_program() -> None:
    reported = [int(code) for code, _ in OUTPUT.table("code", "meaning")]
    signals = {exit_codes.code_of_signal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    named = {value for name, value in vars(exit_codes).items() if name.isupper() and name[0] != "_"}

    assert reported == sorted({value for value in named if isinstance(value, int)} | signals)


def test_a_setting_has_the_default_that_the_page_says() -> None:
    rows = Page("docs/settings.md").table("setting", "default", "values", "scope", "meaning")

    assert [key for key, *_ in rows] == list(SETTINGS_BY_KEY)
    for key, default, *_ in rows:
        setting = SETTINGS_BY_KEY[key]
        assert default == f"{setting.default or ''} {setting.unit}".strip(), key


def test_the_keys_of_run_json_are_those_of_the_program() -> None:
    rows = OUTPUT.table("key", "meaning")
    reported = [key.strip("` ") for cell, _ in rows for key in cell.split(",")]

    assert reported == list(RunView.__struct_fields__)


def test_an_example_of_an_error_has_the_keys_that_the_page_names(tmp_path: Path) -> None:
    (tmp_path / ".scoopi").mkdir()
    cause = Cause("no page", 1, Failure(cause="no page", message="there is no page", attempts=2, status=404))
    RunFile(tmp_path, tmp_path).write(RunView("run", "1", "done", datetime.now(UTC), errors=(cause,)))
    written = json.loads((tmp_path / "run.json").read_text())["errors"][0]

    reported = next(text for keys, text in OUTPUT.table("key", "meaning") if "errors" in keys)

    assert re.findall(r"`(\w+)`", reported) == [*written, *written["example"]]


def test_every_example_is_in_the_table() -> None:
    shown = [
        re.findall(r"\w[\w-]*", cell)[0]
        for cell, *_ in EXAMPLES.table("example", "its pages", "what it shows")
    ]
    folders = {path.name for path in (ROOT / "defs" / "examples").iterdir() if path.is_dir()}

    assert sorted(shown) == sorted(folders)
    assert f"{len(folders)} sets of definitions" in Page("README.md").text


def test_the_architecture_begins_with_nine_sentences_that_name_only_rooms() -> None:
    opening = ARCHITECTURE.prose.partition("A *room* is")[0]
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}

    assert len(re.findall(r"^\d\. ", opening, re.MULTILINE)) == 9
    assert set(re.findall(r"`([^`]+)`", opening)) <= packages


def test_the_path_of_a_page_leads_through_at_most_twenty_files() -> None:
    path = ARCHITECTURE.prose.partition("## The path of a page")[2].partition("\n## ")[0]

    assert 10 <= len(set(re.findall(r"`([\w/]+\.py)`", path))) <= 20


def test_the_protocol_has_seventeen_numbered_rules_each_with_its_code_and_tests() -> None:
    text = ARCHITECTURE.prose.partition("## The protocol")[2].partition("\n## ")[0]
    rules = re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE)
    proved = [
        rule for rule, code, tests in ARCHITECTURE.table("rule", "in code", "proved by") if code and tests
    ]

    assert rules == proved == [str(number) for number in range(1, 18)]


def test_the_rooms_are_the_folders() -> None:
    reported = [room for room, _, _ in ARCHITECTURE.table("room", "its job", "may import")]
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    files = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py"}

    assert sorted(reported) == sorted(folders | files)


def test_a_room_imports_only_what_its_row_allows() -> None:
    allowed = {
        room: {name.strip("`") for name in imports.split()} | EVERYWHERE
        for room, _, imports in ARCHITECTURE.table("room", "its job", "may import")
    }
    for room, imported in _imports().items():
        assert imported <= allowed[room] | {room}, room


def test_every_thread_is_in_the_table() -> None:
    rows = ARCHITECTURE.table("thread", "owns", "waits for")
    reported = {name for cell, _, _ in rows for name in re.findall(r"[\w-]+", cell)}
    started = {name for path in PACKAGE.rglob("*.py") for name in _thread_names(path)}

    assert started
    assert [name for name in started if name not in reported] == []


def test_threads_are_used_where_the_page_says() -> None:
    sentence = next(line for line in ARCHITECTURE.prose.split("\n\n") if line.startswith("Threads and locks"))
    users = {_room_of(path) for path in PACKAGE.rglob("*.py") if "import threading" in path.read_text()}

    assert [room for room in users if f"`{room}`" not in sentence] == []


def _imports() -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found[_room_of(path)] |= set(_rooms(node))
    found.pop("__init__.py", None)
    return dict(found)


def _rooms(node: ast.ImportFrom) -> Iterator[str]:
    """The rooms that one import names; what the package itself offers is no room."""
    first, _, rest = (node.module or "").partition(".")
    if first != "scoopi":
        return
    for name in [rest.partition(".")[0]] if rest else [alias.name for alias in node.names]:
        if (PACKAGE / name).is_dir():
            yield name
        elif (PACKAGE / f"{name}.py").is_file():
            yield f"{name}.py"


def _room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def _thread_names(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "Thread" in text else ():
        if not isinstance(node, ast.Call):
            continue
        kind = ast.unparse(node.func)
        names = [each.value for each in node.keywords if each.arg == "name"]
        if kind.endswith("ThreadPoolExecutor"):
            names += node.args[1:2]
        if kind.endswith(("Thread", "ThreadPoolExecutor")):
            yield str(ast.literal_eval(names[0])) if names else f"one without a name in {path.name}"
