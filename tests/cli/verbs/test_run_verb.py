"""`run` hands its options to the engine, and turns its answers into words and codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scoopi.model.report.progress import Progress


def test_defs_alone_is_run(
    screen: Any, stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chek").mkdir()
    assert screen.run("chek") == 0
    assert (stand_in.made["defs_dir"], stand_in.calls) == (Path("chek"), ["run"])


def test_options_before_defs_are_of_run(screen: Any, stand_in: Any) -> None:
    assert screen.run("--workers", "2", "some/defs") == 0
    assert (stand_in.made["defs_dir"], stand_in.made["workers"]) == (Path("some/defs"), "2")


def test_run_hands_over_every_option(screen: Any, stand_in: Any) -> None:
    screen.environ["SCOOPI_WORKERS"] = "1"
    line = "run d --output o --conf c.yml -D a.b=1 -Da.c=x=y -D a.b=2 --workers 0 --quiet -i n=a=b --group g"
    assert screen.run(*line.split()) == 0
    watch = stand_in.made.pop("watch")
    watch(Progress())
    stand_in.made.pop("notify")("not shown with --quiet")
    assert screen.err.getvalue() == ""
    assert stand_in.made == {
        "defs_dir": Path("d"),
        "output": Path("o"),
        "conf": Path("c.yml"),
        "configs": {"a.b": "2", "a.c": "x=y"},
        "workers": "0",
        "environ": screen.environ,
        "run_name": None,
        "discard_lost": False,
        "limit": None,
        "inputs": {"n": "a=b"},
        "groups": ["g"],
    }
    assert screen.err.getvalue() == ""


@pytest.mark.parametrize("line", ["run d --plain", "--plain d", "resume --plain"])
def test_plain_is_a_setting_of_this_node(screen: Any, stand_in: Any, line: str) -> None:
    assert screen.run(*line.split()) == 0
    assert stand_in.made["configs"] == {"scoopi.parser.plain": "true"}


def test_run_without_options_leaves_the_rest_to_settings(screen: Any, stand_in: Any) -> None:
    screen.run("run", "d")
    assert stand_in.made["output"] == Path("output")
    assert (stand_in.made["conf"], stand_in.made["configs"], stand_in.made["workers"]) == (None, {}, None)
