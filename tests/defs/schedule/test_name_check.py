"""What processes name is looked up before anything is stored: functions, programs, and names in templates."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.findings import Severity
from tests.defs.schedule.project import Project

EVERY = "trigger: {every: 1m}"
ITERATIONS = "trigger: {slots: iterations, source: "


@pytest.mark.parametrize(
    ("keys", "what", "at"),
    [
        ("executes: python:actions:laod", "actions has no laod", "python:actions:laod"),
        ("executes: {python: 'actions:laod'}", "actions has no laod", "'actions:laod'"),
        (
            "executes: python:action:load",
            "module action is neither in the project nor installed here",
            "python:action:load",
        ),
        ("executes: python:actions.py:load", "module actions.py is neither", "python:actions.py:load"),
        (
            f"executes: python:needy:one\n{EVERY}",
            "needy:one needs the input contxt",
            "python:needy:one",
        ),
        (f"executes: python:needy:load\ninputs: {{day: x, shop: 3}}\n{EVERY}", "inputs.shop is 3", "3"),
        (
            f"executes: python:actions:load\ninputs: {{a: '${{ a }}'}}\n{EVERY}",
            "input a is not known",
            "'${ a }'",
        ),
        ("executes: {command: [bin/laod]}", "the project has no program bin/laod", "bin/laod"),
        ("executes: {command: [bin/plain]}", "bin/plain is not executable", "bin/plain"),
        ("executes: {command: [bin/load, '${ slot.kye }']}", "unknown name 'slot.kye'", "'${ slot.kye }'"),
        ("executes: {command: [bin/load, '${ slot.key']}", "a `${` is not closed", "'${ slot.key'"),
        (f"executes: {{command: [bin/load, '${{ dya }}']}}\n{EVERY}", "unknown name 'dya'", "'${ dya }'"),
        (
            "executes: {command: [bin/load], env: {DAY: '${ slot.day }'}}",
            "unknown name 'slot.day'",
            "'${ slot.day }'",
        ),
        (
            "executes: python:actions:load\ninputs: {a: '${ slot.start }${ slot.en }'}",
            "unknown name 'slot.en'",
            "'${ slot.start }${ slot.en }'",
        ),
        (
            f"executes: python:actions:load\ninputs: {{a: '${{ b }}', b: x}}\n{EVERY}",
            "input b is not known here",
            "'${ b }'",
        ),
        (
            "executes: python:actions:load\ninputs: {a: '${ trigger.job }'}",
            "trigger.job needs a job that triggers this one",
            "'${ trigger.job }'",
        ),
        (
            "executes: python:actions:load\ninputs: {a: '${ trigger.jbo }'}\ntrigger: {after: other}",
            "unknown name 'trigger.jbo'",
            "'${ trigger.jbo }'",
        ),
        (
            "executes: python:actions:load\nqualifier: daily\ntrigger: {}\nprobe: [{constant: true},"
            " {path_exists: '${ slot }'}]",
            "unknown name 'slot'",
            "'${ slot }'",
        ),
        ("executes: {command: [bin/load, '${ t }']}\ninputs: {t: '${env:T}'}", "t is a secret", "'${ t }'"),
        ("executes: {command: [bin/load, '${env:T}']}", "env:T is a secret", "'${env:T}'"),
        (
            "executes: external:x\nnotify: [{when: [failed], via: python:mail:sned}]",
            "mail has no sned",
            "python:mail:sned",
        ),
        (
            "executes: external:x\nnotify: [{when: [failed], via: [bin/mial]}]",
            "no program bin/mial",
            "[bin/mial]",
        ),
        (
            "executes: python:odd:late",
            "odd:late is an async function, which nothing awaits",
            "python:odd:late",
        ),
        ("executes: python:odd:number", "odd:number is of type int", "python:odd:number"),
        (
            "executes: external:x\nnotify: [{when: [failed], via: python:odd:late}]",
            "odd:late is an async function",
            "python:odd:late",
        ),
        (f"executes: external:x\n{ITERATIONS}python:odd:late}}", "a source is a class", "python:odd:late"),
        (
            f"executes: external:x\n{ITERATIONS}python:odd:plain}}",
            "odd:plain is a function",
            "python:odd:plain",
        ),
        (
            f"executes: external:x\n{ITERATIONS}python:odd:Empty}}",
            "has no method current",
            "python:odd:Empty",
        ),
        (
            f"executes: external:x\nlookback: 1\n{ITERATIONS}python:odd:Late}}",
            "odd:Late has no method previous",
            "python:odd:Late",
        ),
        ("executes: python:broken:load", "broken.py, line 1: invalid syntax", "python:broken:load"),
        (
            f"executes: python:needy:load\n{EVERY}",
            "needy:load needs the inputs day, shop",
            "python:needy:load",
        ),
    ],
)
def test_what_no_worker_can_find_is_one_error_at_its_place(
    project: Project, keys: str, what: str, at: str
) -> None:
    (project.folder / "bin").mkdir(parents=True)
    (project.folder / "bin/plain").touch(0o644)
    (project.folder / "broken.py").write_text("def load(:\n")
    (project.folder / "needy.py").write_text(
        "def load(day, *, shop, context, size=1): ...\ndef one(contxt): ...\n"
    )
    (project.folder / "odd.py").write_text(
        "number = 3\nasync def late(): ...\ndef plain(): ...\nclass Empty: ...\n"
        "class Late:\n    def current(self, now): ...\n"
    )

    found = project.finding(keys)

    assert found.severity is Severity.ERROR
    assert what in found.what
    assert found.line[found.place.column - 1 :].startswith(at)
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
        "executes: external:x\ntrigger: {slots: iterations, source: python:late:Last}",
        "executes: {command: [sh, '${ day }'], env: {T: '${ t }'}}\ninputs: {t: '${env:T}', day: x}",
        "executes: {command: [bin/load], env: {T: '${env:T}'}}",
    ],
)
def test_what_exists_is_not_reported(project: Project, keys: str) -> None:
    project.folder.mkdir()
    (project.folder / "needy.py").write_text("def load(day, *, shop, context, size=1): ...\n")
    (project.folder / "late.py").write_text(
        "try:\n    from json import *\nexcept ImportError:\n    def other(): ...\nclass Class: ...\n"
        "class Last:\n    def current(self, now): ...\n"
    )
    assert not project.read_process(keys)[1].findings


def test_a_word_that_is_too_long_for_a_program_is_only_not_found(project: Project) -> None:
    (found,) = project.read_process(f"executes: {{command: [{'a' * 300}]}}")[1].findings
    assert "is neither in the project nor in PATH here" in found.what


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
