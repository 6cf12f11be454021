"""A script or pattern that goes wrong on one page fails one task, within limits of time and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_input.town import Town, assert_failed, good_rows, page, title_row
from tests.engine.workspace import Workspace

ON_BAD = "document.getName() === 'bad'"
EVIL = "a" * 40 + "!"
"""Brings `(a|aa)+$` to try each way of cutting it up."""
PLUGINS = {
    "raises": "def change(data):\n    raise ValueError('no such town')\n",
    "returns nothing": "def change(data):\n    pass\n",
    "is no data": "def change(data):\n    return 42\n",
}


@pytest.fixture(autouse=True)
def small_limits(workspace: Workspace) -> None:
    """Limits that are met soon."""
    workspace.settings |= {
        "scoopi.script.timeout": 300,
        "scoopi.script.memory": 8,
        "scoopi.regex.timeout": 300,
    }


@pytest.mark.parametrize(
    ("script", "cause", "hint"),
    [
        ("while (true) {}", "script ran longer than 300 ms", "look for an endless loop"),
        (
            "var all = []; while (true) all.push(new Array(10000).fill(7))",
            "script needs more than 8 MB of memory",
            "make it keep less, or raise scoopi.script.memory",
        ),
        ("'x'.repeat(500 * 1024 * 1024)", "script needs more than 8 MB of memory", "make it keep less"),
        ("(function again() { again() })()", "script calls itself too deeply", "give its recursion an end"),
        ("throw new Error('no such town')", "script failed: Error: no such town", ""),
        ("nowhere.town", "script failed: ReferenceError: nowhere is not defined", ""),
    ],
)
@pytest.mark.parametrize("workers", [0, 1])
def test_a_script_that_goes_wrong_on_one_page_fails_that_task_alone(
    workspace: Workspace, town: Town, workers: int, script: str, cause: str, hint: str
) -> None:
    town.write_page(page("bad"))
    town.put("value: title }", f"script: \"if ({ON_BAD}) {{ {script} }} 'title'\" }}")
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    (error,) = workspace.run_json()["errors"]
    assert cause in error["cause"]
    cause = error["cause"].removeprefix("parser: ")  # it has line and column of the script too
    assert_failed(workspace, ended, cause, step="parser", tasks="nameTask", url="pages/bad.html", hint=hint)
    assert workspace.rows() == good_rows("bad") - title_row("bad")


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        ("while (true) {}", "script ran longer than 300 ms"),
        ("var all = []; while (true) all.push(new Array(10000).fill(7))", "script needs more than 8 MB"),
        ("return 42", ""),
        ("", ""),
    ],
)
def test_a_script_step_that_goes_wrong_on_one_page_fails_that_task_alone(
    workspace: Workspace, town: Town, script: str, cause: str
) -> None:
    is_bad = "data.getItems().get(0).getAxis('fact').getValue().indexOf('bad') === 0"
    body = f"function execute(data) {{ if ({is_bad}) {{ {script}; return }} return data }}"
    town.write_page(page("bad"))
    town.add_step(
        f'class: Scripter, plugins: [ plugin: {{ name: s, class: BasicScript, script: "{body}" }} ]'
    )
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    (error,) = workspace.run_json()["errors"]
    assert cause in error["cause"]
    cause = error["cause"].removeprefix("extra: ")
    assert_failed(workspace, ended, cause, step="extra", tasks="tempTask", url="pages/bad.html")
    assert workspace.rows() == good_rows() + title_row("bad")


@pytest.mark.parametrize("fault", PLUGINS)
def test_a_python_script_that_goes_wrong_fails_its_task_alone(
    workspace: Workspace, town: Town, fault: str
) -> None:
    (town.job.parent / "plugins").mkdir()
    (town.job.parent / "plugins" / "mine.py").write_text(
        f"def guarded(data):\n"
        f"    return change(data) if data.items[0].values[-1].startswith('bad') else data\n\n{PLUGINS[fault]}"
    )
    town.write_page(page("bad"))
    town.add_step("class: Scripter, plugins: [ plugin: { name: s, class: guarded } ]")
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    (error,) = workspace.run_json()["errors"]
    cause = error["cause"].removeprefix("extra: ")
    assert "guarded" in cause
    assert_failed(workspace, ended, cause, step="extra", tasks="tempTask", url="pages/bad.html")
    assert workspace.rows() == good_rows() + title_row("bad")


def test_a_catastrophic_pattern_of_a_filter_ends_at_its_limit(workspace: Workspace, town: Town) -> None:
    town.write_page(page("bad").replace("<td>06", f"<td>{EVIL}"))
    town.put('indexRange: 2-3, selector: "tr:nth-child(%{index})', FILTERED)
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    (error,) = workspace.run_json()["errors"]
    cause = error["cause"].removeprefix("filter: ")
    assert "300 ms" in cause
    assert_failed(
        workspace,
        ended,
        cause,
        step="filter",
        tasks="tempTask",
        url="pages/bad.html",
        hint="scoopi.regex.timeout",
    )
    assert workspace.rows() == good_rows() + title_row("bad")


FILTERED = (
    'indexRange: 2-3, filters: [ filter: { type: value, pattern: "(a|aa)+$" } ], '
    'selector: "tr:nth-child(%{index})'
)


def test_a_catastrophic_pattern_of_a_selector_ends_at_its_limit(workspace: Workspace, town: Town) -> None:
    town.write_page(page("bad").replace("<h1>Bad", f"<h1>{EVIL}"))
    town.put('selector: "h1"', 'selector: "h1:matchesOwn(^(Oslo|Lima|(a|aa)+)$)"')
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    (error,) = workspace.run_json()["errors"]
    cause = error["cause"].removeprefix("parser: ")
    assert "300 ms" in cause
    assert_failed(
        workspace,
        ended,
        cause,
        step="parser",
        tasks="nameTask",
        url="pages/bad.html",
        hint="scoopi.regex.timeout",
    )
    assert workspace.rows() == good_rows("bad") - title_row("bad")


def test_an_endless_script_ends_a_real_process_with_1(workspace: Workspace, town: Town) -> None:
    town.write_page(page("bad"))
    town.put("value: title }", f"script: \"if ({ON_BAD}) {{ while (true) {{}} }} 'title'\" }}")
    ended = workspace.process("run", "defs", "--workers", 1)
    cause = "script ran longer than 300 ms"
    assert_failed(
        workspace, ended, cause, step="parser", tasks="nameTask", url="pages/bad.html", hint="endless loop"
    )
    assert (ended.out, "Traceback" in ended.err) == ("", False)
    assert workspace.rows() == good_rows("bad") - title_row("bad")


@pytest.mark.parametrize("field", ["scripts: [ gone.js ]", "script: gone.js"])
def test_a_missing_script_file_is_reported_before_anything_starts(
    workspace: Workspace, town: Town, field: str
) -> None:
    town.add_step(f"class: Scripter, plugins: [ plugin: {{ name: s, class: BasicScript, {field} }} ]")
    ended = workspace.scoopi("run", "defs")
    assert ended.code == 3
    assert "gone.js" in ended.err
    assert "there is no such file" in ended.err
    assert not Path("output").exists()
