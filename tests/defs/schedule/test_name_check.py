"""What processes name is looked up before anything is stored: functions, programs, and names in templates."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.findings import Severity
from tests.defs.schedule.project import Project

EVERY = "trigger: {every: 1m}"


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("executes: python:actions:laod", "actions has no laod"),
        ("executes: python:action:load", "module action is neither in the project nor installed here"),
        ("executes: {command: [bin/laod]}", "the project has no program bin/laod"),
        ("executes: {command: [bin/plain]}", "bin/plain is not executable"),
        ("executes: {command: [bin/load, '${ slot.kye }']}", "unknown name 'slot.kye'"),
        (f"executes: {{command: [bin/load, '${{ dya }}']}}\n{EVERY}", "unknown name 'dya'"),
        ("executes: {command: [bin/load], env: {DAY: '${ slot.day }'}}", "unknown name 'slot.day'"),
        (
            "executes: python:actions:load\ninputs: {a: '${ slot.start }${ slot.en }'}",
            "unknown name 'slot.en'",
        ),
        (f"executes: python:actions:load\ninputs: {{a: '${{ b }}', b: x}}\n{EVERY}", "unknown name 'b'"),
        ("executes: python:actions:load\ninputs: {a: '${ trigger.job }'}", "unknown name 'trigger.job'"),
        ("executes: {command: [bin/load, '${ t }']}\ninputs: {t: '${env:T}'}", "t is a secret"),
        ("executes: {command: [bin/load, '${env:T}']}", "env:T is a secret"),
        ("executes: external:x\nnotify: [{when: [failed], via: python:mail:sned}]", "mail has no sned"),
        ("executes: external:x\nnotify: [{when: [failed], via: [bin/mial]}]", "no program bin/mial"),
        ("executes: python:broken:load", "broken.py, line 1: invalid syntax"),
        (f"executes: python:needy:load\n{EVERY}", "needy:load needs the inputs day, shop"),
    ],
)
def test_what_no_worker_can_find_is_one_error_with_a_place(project: Project, keys: str, what: str) -> None:
    (project.folder / "bin").mkdir(parents=True)
    (project.folder / "bin/plain").touch(0o644)
    (project.folder / "broken.py").write_text("def load(:\n")
    (project.folder / "needy.py").write_text("def load(day, *, shop, context, size=1): ...\n")

    found = project.finding(keys)

    assert found.severity is Severity.ERROR
    assert what in found.what
    assert found.place.line == 4
    assert found.did_you_mean or found.hint


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("executes: python:pandas_of_the_worker.frames:load", "neither in the project nor installed here"),
        ("executes: {command: [program-of-the-worker]}", "neither in the project nor in PATH here"),
        ("executes: {command: [bin/load, '${ copies }']}\nmode: manual", "copies is not among the inputs"),
    ],
)
def test_what_another_machine_or_a_launch_may_have_is_a_warning(
    project: Project, keys: str, what: str
) -> None:
    found = project.finding(keys)
    assert found.severity is Severity.WARNING
    assert what in found.what


@pytest.mark.parametrize(
    "keys",
    [
        "executes: python:json:dumps\ninputs: {obj: x}",
        "executes: python:os.path:join\ninputs: {a: x}",
        "executes: python:math:sqrt\ninputs: {x: y}",
        f"executes: python:needy:load\ninputs: {{day: '${{ slot.key }}', shop: '${{ day }}'}}\n{EVERY}",
        "executes: python:needy:load\nqualifier: daily\ntrigger: {}\ninputs: {day: '${ start_id }', shop: a}",
        "executes: python:needy:load\ntrigger: {after: other}\n"
        "inputs: {day: '${ trigger.slot.key }', shop: '${ trigger.outputs.shop }'}",
        "executes: python:late:anything\nmode: manual",
        "executes: python:late:Class\nmode: manual",
        "executes: {command: [sh, '${ day }'], env: {T: '${ t }'}}\ninputs: {t: '${env:T}', day: x}",
        "executes: {command: [bin/load], env: {T: '${env:T}'}}",
    ],
)
def test_what_exists_is_not_reported(project: Project, keys: str) -> None:
    project.folder.mkdir()
    (project.folder / "needy.py").write_text("def load(day, *, shop, context, size=1): ...\n")
    (project.folder / "late.py").write_text(
        "try:\n    from json import *\nexcept ImportError:\n    def other(): ...\nclass Class: ...\n"
    )
    assert not project.read_process(keys)[1].findings


def test_no_code_of_the_project_is_run(project: Project) -> None:
    project.folder.mkdir()
    (project.folder / "trap.py").write_text("raise SystemExit('run')\ndef load(): ...\n")
    assert not project.read_process("executes: python:trap:load")[1].findings


def test_the_target_of_all_processes_is_looked_up_once(project: Project) -> None:
    project.write(
        jobs="settings: {notify: [{when: [stuck], via: python:mail:sned}]}\n"
        "processes: {a: {executes: external:x}, b: {executes: external:x}}"
    )
    (found,) = project.read()[1].findings
    assert (found.key, found.did_you_mean) == ("settings.notify.via", "send")
