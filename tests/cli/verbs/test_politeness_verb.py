"""`scoopi politeness`: the figures as text and as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal
from scoopi.politeness.request_log import ERROR, SLEEP, RequestLog


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """An output folder with one run."""
    folder = tmp_path / "run" / ".scoopi" / "n1"
    folder.mkdir(parents=True)
    log = RequestLog(folder / "requests-n1.log")
    log.sent("a.example:80", 1.0)
    log.sent("a.example:80", 2.5)
    log.happened(ERROR, "a.example:80", 2.6, "status 429")
    log.happened(SLEEP, "a.example:80", 2.6, "30.0")
    log.close()
    return tmp_path


def outcome_of(*words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line."""
    out, err = io.StringIO(), io.StringIO()
    return main(["politeness", *words], Terminal(out, err, {})), out.getvalue(), err.getvalue()


def test_each_host_is_a_line(output: Path) -> None:
    code, text, _ = outcome_of("run", "--output", str(output))
    assert code == 0
    first, head, line = text.splitlines()
    assert first == f"{output / 'run'}: 1 host, 1 process of 1 node (n1)"
    assert head.split()[:3] == ["host", "requests", "per"]
    assert line.split() == [
        *("a.example:80", "2", "0.67", "1,500.0", "ms", "1x", "status", "429", "1", "(30", "s)", "0", "-")
    ]


def test_the_processes_of_a_resumed_run_are_counted_in_the_plural(output: Path) -> None:
    log = RequestLog(output / "run" / ".scoopi" / "n1" / "requests-n2.log")
    log.sent("a.example:80", 9.0)
    log.close()
    assert (
        outcome_of("run", "--output", str(output))[1].splitlines()[0].endswith("2 processes of 1 node (n1)")
    )


def test_json_has_the_same_figures(output: Path) -> None:
    _, text, _ = outcome_of("--json", "--output", str(output))
    (host,) = json.loads(text)["hosts"]
    assert (host["requests"], host["shortest_gap_ms"], host["errors"]) == (2, 1500.0, {"status 429": 1})


def test_a_run_that_does_not_exist_is_a_usage_error(output: Path) -> None:
    code, _, err = outcome_of("never", "--output", str(output))
    assert (code, "there is no run never" in err) == (2, True)
