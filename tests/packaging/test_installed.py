"""Scoopi that was installed from a wheel does its work in an empty folder, far from the checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scoopi.version import __version__
from tests.examples.example import EXAMPLES, Example, published
from tests.packaging.installed import ROOT, Installed

WHERE = "import scoopi, sys; print(scoopi.__file__, *sys.path, sep='\\n')"


def test_the_checkout_is_out_of_reach(installed: Installed, empty: Path) -> None:
    done = installed.run("python", "-c", WHERE, cwd=empty)
    assert done.returncode == 0, done.stderr
    file, *path = done.stdout.splitlines()
    assert Path(file).is_relative_to(installed.folder)
    assert str(ROOT) not in path


@pytest.mark.parametrize("program", [("scoopi",), ("python", "-m", "scoopi")])
def test_help_is_given(installed: Installed, empty: Path, program: tuple[str, ...]) -> None:
    done = installed.run(*program, "--help", cwd=empty)
    assert (done.returncode, done.stderr) == (0, "")
    assert "scoopi run" in done.stdout
    assert not list(empty.iterdir())


@pytest.mark.parametrize("program", [("scoopi",), ("python", "-m", "scoopi")])
def test_version_shows_the_html_backend(installed: Installed, empty: Path, program: tuple[str, ...]) -> None:
    done = installed.run(*program, "version", cwd=empty)
    assert (done.returncode, done.stderr) == (0, "")
    shown = dict(line.split("  ", 1) for line in done.stdout.splitlines())
    assert shown["scoopi"].strip() == __version__
    assert shown["html backend"].strip() == installed.backend


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", ["quickstart", "links", "scripts"])
def test_a_copied_example_gives_its_rows(installed: Installed, empty: Path, name: str, workers: int) -> None:
    copied = Example(empty / "mine")
    shutil.copytree(EXAMPLES / name, copied.folder)
    conf = ("--conf", str(copied.conf)) if copied.conf else ()
    done = installed.run("scoopi", "run", "mine", "--workers", str(workers), *conf, cwd=empty)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert published(empty / "output" / "latest") == copied.expected()


def test_the_first_steps_need_no_checkout(installed: Installed, empty: Path) -> None:
    for words in (("new", "demo"), ("check", "demo", "--strict"), ("demo", "--workers", "0")):
        done = installed.run("scoopi", *words, cwd=empty)
        assert done.returncode == 0, done.stderr
    assert published(empty / "output" / "latest") == Example(EXAMPLES / "bookshop").expected()


def test_the_bridge_can_be_built_later(installed: Installed, empty: Path) -> None:
    found = installed.run("python", "-c", WHERE, cwd=empty).stdout.splitlines()[0]
    shutil.copytree(Path(found).parent, empty / "scoopi", ignore=shutil.ignore_patterns("*.so"))
    assert "pure Python" in installed.run("python", "-m", "scoopi", "version", cwd=empty).stdout
    built = installed.run("python", "-m", "scoopi.parse.bridge.build", cwd=empty)
    assert built.returncode == 0, built.stderr
    assert Path(built.stderr.split()[-1]).is_relative_to(empty)
    assert "compiled" in installed.run("python", "-m", "scoopi", "version", cwd=empty).stdout
