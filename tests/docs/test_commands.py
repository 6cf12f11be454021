"""The commands and programs of the documentation do what they are shown for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.docs.markdown import PAGES, ROOT, Page

LIMIT_S = 60
SET_UP = "bash tests/setup && "
SCRIPTS = ("bash tests/setup", "bash tests/run")
"""They install what is missing, and run this test: only their syntax is looked at."""
NEEDS_NETWORK = ("python3 -m venv .venv && .venv/bin/pip install .",)
LONG_FORMS = "python -m tests."
OPTION = re.compile(r"--[a-z-]+")
END_OF_HELP = "\n--end of a help--\n"
HELPS = f"""
import runpy, sys
lines = sys.argv[1:]
for line in lines:
    if line != lines[0]:
        print(end={END_OF_HELP!r})
    module, *options = line.split()
    sys.argv = [module, *options, "--help"]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        assert not end.code, line
    else:
        raise AssertionError(line)
"""
"""Prints the help of each program that it is called with."""


def commands() -> list[str]:
    """Each line of each shell block, once."""
    lines = [line for name in PAGES for block in Page(name).blocks("sh") for line in block.lines]
    return list(dict.fromkeys(lines))


def runnable() -> list[str]:
    """Those that need no network and end soon; what stands behind the set-up too."""
    others = [line for line in commands() if line not in SCRIPTS + NEEDS_NETWORK]
    return [line.removeprefix(SET_UP) for line in others if not line.startswith(LONG_FORMS)]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command in a shell as a newcomer has it after the set-up; colours off, one process where it may."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SCOOPI_")}
    path = f"{folder / '.venv' / 'bin'}:{environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**environ, "PATH": path, "NO_COLOR": "1", "SCOOPI_WORKERS": "0"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


def prepare_demo(folder: Path, command: str) -> None:
    """Remove the definitions that `scoopi new demo` writes, or write them for the other commands."""
    shutil.rmtree(folder / "demo", ignore_errors=True)
    if "scoopi new" not in command:
        run("scoopi new demo", folder)


@pytest.mark.parametrize("command", runnable())
def test_a_command_of_the_documentation_runs(command: str, checkout: Path) -> None:
    """Each by itself: `demo` is there for all but the command that makes it."""
    if "demo" in command:
        prepare_demo(checkout, command)

    done = run(command, checkout)

    assert done.returncode == 0, done.stderr


def test_the_session_with_a_cluster_runs(checkout: Path, cluster: ClusterClient) -> None:
    """The member is the one of the tests."""
    member, *questions = Page("docs/cluster.md").blocks("shell")[0].lines
    reached = cluster.settings
    assert member == "scoopi member"
    for line in questions:
        asked = line.replace("127.0.0.1:5701", reached.addresses[0])
        done = run(f"SCOOPI_CLUSTER_NAME={reached.name} {asked}", checkout)
        assert done.returncode == 0, done.stderr
    assert list(checkout.glob("output/fair/data-*.txt"))


def test_the_session_with_a_database_runs(checkout: Path, postgres_url: str) -> None:
    """The database is one of the tests."""
    shutil.rmtree(checkout / "output", ignore_errors=True)
    for line in Page("docs/cluster.md").blocks("shell")[1].lines:
        done = run(line.replace("postgresql://scoopi@db.example/scoopi", postgres_url), checkout)
        assert done.returncode == 0, done.stderr
    assert list(checkout.glob("output/fair/data-*.txt"))


def test_a_script_that_is_not_run_here_is_there_and_is_a_shell_script() -> None:
    named = {script for script in SCRIPTS for line in commands() if line.startswith(script)}

    assert named == set(SCRIPTS)
    for script in SCRIPTS:
        subprocess.run(["bash", "-n", ROOT / script.removeprefix("bash ")], check=True)


def test_a_long_form_takes_the_arguments_that_it_is_shown_with(checkout: Path) -> None:
    lines = [line for line in commands() if line.startswith(LONG_FORMS)]

    assert lines
    # One process for all: what takes long is to import what most of them share.
    called = [line.removeprefix("python -m ") for line in lines]
    done = subprocess.run(
        [sys.executable, "-c", HELPS, *called], cwd=checkout, capture_output=True, text=True, timeout=LIMIT_S
    )
    assert done.returncode == 0, done.stderr
    helps = done.stdout.split(END_OF_HELP)
    for line, shown in zip(lines, helps, strict=True):
        assert "usage: " in shown
        assert {*OPTION.findall(line)} <= {*OPTION.findall(shown)}, line


def test_every_long_form_is_in_the_documentation() -> None:
    """A module that takes arguments of people, not of another program."""
    said = Page("CONTRIBUTING.md").text
    programs = [
        path
        for path in (ROOT / "tests").rglob("*.py")
        if re.search(r"^    parser = argparse", path.read_text(), re.MULTILINE) and path.name != "__main__.py"
    ]

    assert len(programs) >= 9
    for path in programs:
        assert ".".join(path.relative_to(ROOT).with_suffix("").parts) in said


def test_pip_installs_the_program_scoopi() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["scoopi"].partition(":")

    assert callable(getattr(import_module(module), name))
    assert (ROOT / project["readme"]).is_file()


def test_the_terminal_shows_what_the_readme_shows(checkout: Path) -> None:
    (shown,) = Page("README.md").blocks("console")
    command, *lines = shown.text.splitlines()
    prepare_demo(checkout, command)

    done = run(command.removeprefix("$ "), checkout)

    assert done.stdout == ""
    assert [_without_figures(line) for line in done.stderr.splitlines()] == list(map(_without_figures, lines))


@pytest.mark.parametrize(
    "text", [block.text for name in PAGES for block in Page(name).blocks("python") if not block.file]
)
def test_a_program_of_the_documentation_runs(
    text: str, checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)

    exec(compile(text, "page.md", "exec"), {"__name__": "page"})

    assert capfd.readouterr() == ("", "")


def _without_figures(line: str) -> list[str]:
    """Words of a line in any order, its run and its times left out; counts stay."""
    line = re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}", "RUN", line.rstrip())
    line = re.sub(r"\d+(\.\d+)? (ms|s)\b|[\d.,]+(?= pages/s)", "TIME", line)
    return sorted(line.replace(",", "").split())
