"""call: a function gets the inputs that it names, and whatever it does becomes one answer."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scoopi.serve.work.call import call

SLOT = ["D:2026010100", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]
Call = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Calls a function of `called.py` with inputs; what it reports."""
    heard, answers = os.pipe()
    os.set_blocking(heard, False)
    monkeypatch.setattr("scoopi.serve.work.call.ANSWERS", answers)
    former = signal.getsignal(signal.SIGTERM)

    def called(function: str, **inputs: str) -> list[dict[str, Any]]:
        spec = {
            "call": f"tests.serve.work.specs.called:{function}",
            "attempt": "shop/D:2026010100/1",
            "slot": SLOT,
            "folder": "/tmp",
            "inputs": inputs,
        }
        assert call(spec) == 0
        return [json.loads(line) for line in os.read(heard, 1 << 16).splitlines()]

    yield called
    signal.signal(signal.SIGTERM, former)
    os.close(heard)
    os.close(answers)


@pytest.mark.parametrize(
    ("function", "inputs", "outputs"),
    [
        ("adds", {"a": 1, "b": 2, "more": 3}, {"sum": 3}),
        ("adds", {"a": 1}, {"sum": 11}),
        ("takes_all", {"a": "1", "b": "2"}, {"a": "1", "b": "2"}),
        ("returns_nothing", {"a": "1"}, {}),
    ],
)
def test_a_function_gets_the_inputs_that_it_names(
    calls: Call, function: str, inputs: dict[str, Any], outputs: dict[str, Any]
) -> None:
    assert calls(function, **inputs) == [
        {"answer": {"status": "succeeded", "outputs": outputs, "is_whole": True}}
    ]


@pytest.mark.parametrize(
    ("function", "status", "explanation"),
    [
        ("is_not_ready", "not_ready", "the file is not there yet"),
        ("is_refused", "error", "no such shop; look at the list"),
        ("breaks", "error", "KeyError: 'price'"),
        ("exits", "error", "SystemExit: 3"),
        ("returns_a_list", "error", "TypeError: it returned list; return a dict of outputs, or nothing"),
        ("returns_what_json_lacks", "error", "TypeError: Object of type object is not JSON serializable"),
        (
            "adds",
            "error",
            "TypeError: tests.serve.work.specs.called:adds needs the inputs a, which the process",
        ),
        ("gone", "error", "AttributeError: module 'tests.serve.work.specs.called' has no attribute 'gone'"),
    ],
)
def test_whatever_a_function_raises_ends_its_attempt_with_the_reason(
    calls: Call, function: str, status: str, explanation: str
) -> None:
    (message,) = calls(function)
    assert message["answer"]["status"] == status
    assert message["answer"]["explanation"].startswith(explanation)


def test_the_traceback_of_a_function_begins_in_the_function(
    calls: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    calls("breaks")
    printed = capsys.readouterr().err
    assert "in breaks" in printed
    assert "scoopi/serve/work/call.py" not in printed


def test_a_function_that_asks_for_its_context_knows_its_slot_and_reports_progress_at_most_once_a_second(
    calls: Call,
) -> None:
    progress, answer = calls("knows")
    assert progress == {"progress": {}}
    assert answer["answer"]["outputs"] == {
        "attempt": "shop/D:2026010100/1",
        "slot": "D:2026010100",
        "start": "2026-01-01T00:00:00Z",
    }


@pytest.mark.parametrize(("says", "is_whole"), [("", False), ("yes", True), ("no", False)])
def test_the_result_of_a_function_that_was_cancelled_counts_only_if_it_says_so(
    calls: Call, says: str, is_whole: bool
) -> None:
    (message,) = calls("is_canceled", is_whole=says)
    assert message["answer"]["outputs"] == {"is_canceled": True, "called": True}
    assert message["answer"]["is_whole"] is is_whole
