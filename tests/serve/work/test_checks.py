"""What is asked before the work of an attempt: new input, `prepare`, and the probes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.serve.work.specs.supervising import Started, ended, function, shell

BODY = """
from scoopi.scheduler import Failed, NotReady
def yes(): return True
def no(): return False
def odd(): return "yes"
def missing(): raise NotReady("no file yet")
def broken(): raise KeyError("a")
def bad(): raise Failed("bad input")
def prepare(day, context): print("prepared", day, context.slot.key)
def work(): return {"done": 1}
"""
CHECKS: list[tuple[list[dict[str, str]], dict[str, Any]]] = [
    ([{"prepare": "actions:prepare"}, {"python": "actions:yes"}], {"status": "succeeded"}),
    ([{"python": "actions:no"}], {"status": "not_ready", "explanation": "probe actions:no returned False"}),
    ([{"prepare": "actions:missing"}], {"status": "not_ready", "explanation": "no file yet"}),
    ([{"prepare": "actions:broken"}], {"status": "error", "explanation": "KeyError: 'a'"}),
    ([{"prepare": "actions:bad"}], {"status": "failed", "explanation": "bad input"}),
    (
        [{"python": "actions:odd"}],
        {
            "status": "error",
            "explanation": "TypeError: python actions:odd returned str; return True or False",
        },
    ),
    ([{"new_input": "actions:no"}], {"status": "noop", "explanation": "no new input"}),
    ([{"new_input": "actions:yes"}], {"status": "succeeded"}),
    ([{"path": "/nowhere"}], {"status": "not_ready", "explanation": "/nowhere does not exist"}),
    ([{"path": ""}], {"status": "not_ready", "explanation": "the path of path_exists does not exist"}),
    ([{"path": "/"}], {"status": "succeeded"}),
]


def of_project(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "actions.py").write_text(BODY)
    return {"path": [str(tmp_path)], "inputs": {"day": "1"}}


@pytest.mark.parametrize(("checks", "answer"), CHECKS)
def test_what_is_asked_first_decides_whether_a_function_is_called(
    started: Started, tmp_path: Path, checks: list[dict[str, str]], answer: dict[str, Any]
) -> None:
    end = ended(started(call="actions:work", checks=checks, **of_project(tmp_path)))
    outputs = {"done": 1} if answer["status"] == "succeeded" else {}
    assert {"outputs": {}, **end["answer"]} == {**answer, "outputs": outputs, "is_whole": True}


@pytest.mark.parametrize(("checks", "answer"), CHECKS)
def test_what_is_asked_first_decides_whether_a_program_is_started(
    started: Started, tmp_path: Path, checks: list[dict[str, str]], answer: dict[str, Any]
) -> None:
    end = ended(started(checks=checks, **shell("exit 7"), **of_project(tmp_path)))
    if answer["status"] == "succeeded":
        assert end == {"code": 7}
    else:
        assert end["answer"]["status"] == answer["status"]


def test_prepare_gets_inputs_and_context_and_prints_before_the_work(started: Started, tmp_path: Path) -> None:
    running = started(checks=[{"prepare": "actions:prepare"}], **shell("echo worked"), **of_project(tmp_path))
    ended(running)
    assert (tmp_path / "log").read_text().splitlines() == ["prepared 1 !1", "worked"]


def test_the_work_does_not_begin_after_a_stop(started: Started, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    body = (
        "import time\ndef wait(context):\n    context.progress(pages=3)\n"
        "    while not context.is_canceled():\n        time.sleep(0.01)\n"
    )
    function(tmp_path, body)
    running = started(checks=[{"prepare": "actions:wait"}], **shell(f"touch {mark}"))
    assert running.messages() == [{"progress": {"pages": 3}}]
    running.stop(60.0)
    assert ended(running)["answer"]["status"] == "handed_back"
    assert not mark.exists()


def test_a_function_finds_what_the_attempt_before_it_reported(started: Started, tmp_path: Path) -> None:
    body = "def work(context):\n    return context.previous\n"
    end = ended(started(previous={"pages": 3}, **function(tmp_path, body)))
    assert end["answer"]["outputs"] == {"pages": 3}
