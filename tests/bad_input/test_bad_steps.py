"""A user's step that is not a step, or returns no handover, is reported; what it prints is not output."""

from __future__ import annotations

import pytest

from tests.bad_input.town import Town, assert_failed, good_rows, page, title_row
from tests.engine.workspace import Workspace

PLUGIN = """\
from scoopi.model.handover import ToTask
from scoopi.steps.step import Step


class Odd({base}):
    def run(self, payload):
        {body}
        return ToTask(payload)
"""


def install(town: Town, body: str = "pass", base: str = "Step") -> None:
    """A plugin step in the tempTask."""
    (town.job.parent / "plugins").mkdir()
    (town.job.parent / "plugins" / "odd.py").write_text(PLUGIN.format(base=base, body=body))
    town.add_step("class: Odd")


@pytest.mark.parametrize("workers", [0, 1])
def test_a_step_that_forgets_its_return_fails_its_task_and_no_worker_dies(
    workspace: Workspace, town: Town, workers: int
) -> None:
    install(town, 'if payload.locator.name == "bad": return')
    town.write_page(page("bad"))
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert_failed(
        workspace,
        ended,
        "the step returned NoneType, which is not a handover",
        step="extra",
        tasks="tempTask",
        url="pages/bad.html",
        hint="end `run` with `return ToTask(payload.advance(data))`",
    )
    assert "died" not in ended.err
    assert workspace.rows() == good_rows() + title_row("bad")


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("raise SystemExit('enough')", "SystemExit: enough"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ],
)
def test_a_step_that_ends_the_process_fails_its_task_only_and_is_reported_by_name(
    workspace: Workspace, town: Town, workers: int, body: str, cause: str
) -> None:
    install(town, f'if payload.locator.name == "bad": {body}')
    town.write_page(page("bad"))
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert_failed(workspace, ended, cause, step="extra", tasks="tempTask", url="pages/bad.html")
    assert "died" not in ended.err
    assert workspace.rows() == good_rows() + title_row("bad")


@pytest.mark.parametrize(
    ("base", "body", "reported"),
    [
        ("object", "pass", "Odd is not a Step; derive it from scoopi.steps.step.Step"),
        ("Step", "pass\n\n    def __init__(self):\n        raise SystemExit(4)", "arguments: SystemExit: 4"),
        (
            "Step",
            "pass\n\n    def __init__(self, town):",
            "Odd cannot be constructed without arguments: TypeError",
        ),
    ],
)
def test_what_is_no_step_is_found_before_anything_runs(
    workspace: Workspace, town: Town, base: str, body: str, reported: str
) -> None:
    install(town, body, base)
    ended = workspace.scoopi("check", "defs")
    assert ended.code == 3, ended.err
    assert reported in ended.out


def test_what_a_step_prints_in_a_worker_is_not_among_the_rows(workspace: Workspace, town: Town) -> None:
    install(town, 'print("met", payload.locator.name)')
    ended = workspace.process("run", "defs", "--workers", 1, "--output", "-")
    assert ended.code == 0, ended.err
    assert "met oslo" in ended.err
    assert "met" not in ended.out
    assert len(ended.out.splitlines()) == good_rows().total()
