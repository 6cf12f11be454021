"""`scoopi serve`: its options, and a project without work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Screen


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--slots 0", "needs a whole number from 1, got '0'"),
        ("--slots -1", "needs a whole number from 1"),
        ("--http 70000", "needs [HOST:]PORT, got '70000'; for example 9010 or 0.0.0.0:9010"),
        ("--http :9010", "needs [HOST:]PORT, got ':9010'"),
        ("--http host", "needs [HOST:]PORT, got 'host'"),
        ("--groups a,,b", "needs names separated by commas, got 'a,,b'"),
        ("--state nowhere", "there is no state of a scheduler in nowhere"),
        ("--no-schedule --no-work", "--no-schedule and --no-work leave nothing to do"),
        ("--no-schedule --until-idle", "--until-idle needs passes, which find what is due"),
    ],
)
def test_a_wrong_option_is_one_clear_error(
    screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert screen.run("serve", *words.split()) == 2
    assert message in screen.err.getvalue()


def test_a_project_with_errors_is_not_served(
    screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs").mkdir()
    Path("jobs/a.yml").write_text("processes: {p: {executes: press}}")
    assert screen.run("serve", "jobs", "--until-idle") == 3
    assert "jobs/a.yml\n  1:27     error    processes.p.executes: " in screen.err.getvalue()
