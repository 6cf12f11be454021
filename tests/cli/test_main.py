"""The command line means what the contract says, and its faults are reported in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoopi import errors
from scoopi.cli.arguments import FOREIGN, VERBS

ROOT = Path(__file__).parents[2]
HEAVY = {"yaml", "msgspec", "lxml", "rich", "injector", "pycurl", "sqlite3", "logging", "asyncio"}


def test_help_names_every_verb_and_an_example(screen: Any) -> None:
    assert screen.run("--help") == 0
    text = screen.out.getvalue()
    assert all(f"\n  {verb} " in text for verb in VERBS)
    assert "scoopi defs/examples/quickstart" in text
    assert screen.err.getvalue() == ""


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_with_an_example(
    screen: Any, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert screen.run(verb, "--help") == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: scoopi {verb}")
    assert f"example:\n  scoopi {verb}" in text


def test_help_of_a_verb_may_be_asked_for_in_both_ways(
    screen: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert screen.run("help", "check") == screen.run("check", "--help") == 0
    first, second = capsys.readouterr().out.split("usage: ")[1:]
    assert first == second
    assert first.startswith("scoopi check")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("chekc", "unknown command chekc; did you mean scoopi help check?"),
        ("frobnicate", "unknown command frobnicate; see scoopi --help"),
        ("crawl", "unknown command crawl; use scoopi run DEFS"),
    ],
)
def test_help_of_an_unknown_verb_is_wrong_usage_and_names_the_nearest_one(
    screen: Any, word: str, message: str
) -> None:
    assert screen.run("help", word) == 2
    assert message in screen.err.getvalue()
    assert screen.out.getvalue() == ""


def test_nothing_at_all_is_wrong_usage_and_helps(screen: Any) -> None:
    assert screen.run() == 2
    assert "usage: scoopi" in screen.err.getvalue()
    assert screen.out.getvalue() == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["chekc", "defs"], "did you mean scoopi check?"),
        (["Run", "defs"], "did you mean scoopi run?"),
        (["rnu", "x"], "unknown command rnu, and no such file or folder; did you mean scoopi run?"),
        (["rnu"], "unknown command rnu, and no such file or folder; did you mean scoopi run?"),
        (["frobnicate", "x"], "unknown command frobnicate, and no such file or folder; see scoopi --help"),
        (["crawl", "x"], "unknown command crawl; use scoopi run DEFS"),
        (["startproject", "x"], "unknown command startproject; use scoopi new DIR"),
        (["shell"], "unknown command shell; use scoopi parse DEFS FILE"),
        (["why"], "unknown command why; use scoopi job why JOB"),
        (["why", "shop.books/!1"], "unknown command why; use scoopi job why JOB"),
        (["backfill", "--from", "2026-11-01"], "use scoopi process backfill PROCESS"),
        (["list"], "unknown command list; use scoopi status"),
        (["run"], "the following arguments are required: DEFS"),
        (["run", "--wokers", "2", "defs"], "unknown option --wokers; did you mean --workers?"),
        (["run", "defs", "more"], "unknown argument more; see scoopi run --help"),
        (["run", "defs", "--workers", "257"], "needs a number from 0 to 256 or auto, got '257'"),
        (
            ["run", "defs", "--cluster", " "],
            "needs HOST:PORT of a member, for example 10.0.0.7:5701, got ' '",
        ),
        (["status", "--cluster="], "needs HOST:PORT of a member"),
        (["run", "defs", "--workers", "²"], "needs a number from 0 to 256 or auto"),
        (["run", "defs", "--output"], "expected one argument"),
        (["run", "defs", "--quie"], "did you mean --quiet?"),
        (
            ["config", "-D", "scoopi.workers"],
            "is not KEY=VALUE; write it like -D scoopi.loader.fetch.delay=250",
        ),
        (["config", "-D", "=1"], "is not KEY=VALUE; write it like -D scoopi.loader.fetch.delay=250"),
        (["check", "defs", "--format", "xml"], "invalid choice: 'xml'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(screen: Any, line: list[str], message: str) -> None:
    assert screen.run(*line) == 2
    said = screen.err.getvalue()
    assert message in said
    assert said.startswith("scoopi: ")
    assert said.count("\n") == 1
    assert screen.out.getvalue() == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.ConfigError("x"), 3),
        (errors.DefsError("x"), 3),
        (errors.PluginError("x"), 3),
        (errors.ClusterError("x"), 5),
        (errors.RunError("x"), 5),
        (errors.StoreError("x"), 5),
        (errors.AppenderError("x"), 5),
    ],
)
def test_an_error_of_the_tree_has_its_code_and_one_line(
    screen: Any, stand_in: Any, error: Exception, code: int
) -> None:
    stand_in.error = error
    assert screen.run("run", "defs") == code
    assert screen.err.getvalue() == "scoopi: x\n"


def test_a_report_on_definitions_begins_on_a_line_of_its_own(screen: Any, stand_in: Any) -> None:
    stand_in.error = errors.DefsError("a.yml\n  1:2 error x\n1 error in 1 file")
    assert screen.run("run", "defs") == 3
    assert screen.err.getvalue() == ("scoopi: invalid definitions\na.yml\n  1:2 error x\n1 error in 1 file\n")


def test_an_unexpected_error_keeps_its_traceback_and_says_one_line(
    screen: Any, stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stand_in.error = KeyError("two\nlines\x1b[2J")
    assert screen.run("run", "defs") == 1
    [log] = tmp_path.iterdir()
    said = screen.err.getvalue()
    assert said.startswith("scoopi: unexpected error: KeyError: ")
    assert said.endswith(f"; the traceback is in {log}\n")
    assert said.count("\n") == 1
    assert "\x1b" not in said
    assert "Traceback (most recent call last)" in log.read_text()


def test_an_interrupt_outside_a_run_is_exit_130(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_path: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(os.path, "lexists", interrupt)
    assert screen.run("defs") == 130
    assert screen.err.getvalue() == "scoopi: stopped\n"


def scoopi(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scoopi", *arguments]
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=60, check=False, **options
    )


def test_a_full_stdout_is_reported_and_exit_5() -> None:
    with open("/dev/full", "w") as full:
        done = scoopi("config", stdout=full)
    assert done.returncode == 5
    assert done.stderr == (
        "scoopi: stdout cannot be written: No space left on device; "
        "free some space, or redirect it elsewhere\n"
    )


def test_a_reader_that_leaves_is_no_traceback() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = scoopi("config", stdout=write_end)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (5, "")


def test_messages_that_nobody_takes_change_no_exit_code() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "scoopi", "run", "--nothing", "x"]
        done = subprocess.run(command, cwd=ROOT, stderr=full, timeout=60, check=False)
    assert done.returncode == 2


def test_help_and_version_load_nothing_heavy() -> None:
    script = (
        "import sys; from scoopi.cli.main import main;"
        "code = main(['--help']) or main(['--version']) or main(['run', '--help']);"
        "print(code, *{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    code, *loaded = done.stdout.splitlines()[-1].split()
    assert code == "0"
    assert HEAVY.isdisjoint(loaded)


@pytest.mark.parametrize("words", [["crawl"], ["rnu", "x"], ["list"], ["check"], ["shell", "--help"]])
def test_a_command_that_is_refused_loads_nothing_heavy(words: list[str]) -> None:
    script = (
        "import sys; from scoopi.cli.main import main;"
        f"code = main({words!r});"
        "print(code, *{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    code, *loaded = done.stdout.splitlines()[-1].split()
    assert code == "2"
    assert HEAVY.isdisjoint(loaded)


def test_no_command_of_another_tool_is_one_of_these() -> None:
    assert FOREIGN.keys().isdisjoint(VERBS)


def test_definitions_called_as_a_command_of_another_tool_are_run(
    screen: Any, stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crawl").mkdir()
    assert screen.run("crawl") == 0
    assert stand_in.calls == ["run"]


@pytest.mark.parametrize(
    "words", [("check",), ("run",), ("resume",), ("rows",), ("new",), ("tick", "--state")]
)
def test_a_name_that_is_too_long_for_a_file_is_reported(screen: Any, words: tuple[str, ...]) -> None:
    name = "a" * 300
    assert screen.run(*words, name) == 2
    said = screen.err.getvalue()
    assert said.startswith("scoopi: ")
    assert f"{name}" in said
    assert said.endswith(": the name of the file is too long; give the path of an existing file or folder\n")


def test_a_current_folder_that_is_gone_is_reported(
    screen: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert screen.run("run", "defs.yml") == 2
    assert screen.err.getvalue() == "scoopi: the current folder was removed; change to a folder that exists\n"
