"""`scoopi new` writes definitions that run as they are, and overwrites nothing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from scoopi.cli.verbs.new_verb import FILES, STARTER
from tests.engine.workspace import Workspace

EXAMPLE = Path(__file__).parents[3] / "defs" / "examples" / "bookshop"


@pytest.mark.parametrize("folder", ["demo", "deep/er/demo"])
def test_what_it_writes_passes_the_check_and_gives_its_rows(workspace: Workspace, folder: str) -> None:
    ended = workspace.scoopi("new", folder)
    assert (ended.code, ended.out) == (0, "")
    assert f"run it with:  scoopi {folder}\n" in ended.err
    checked = workspace.scoopi("check", folder, "--strict")
    assert checked.code == 0, checked.out
    assert workspace.scoopi(folder, "--workers", 0).code == 0
    written = (workspace.folder / "output/latest/books.csv").read_text()
    assert Counter(written.splitlines()) == Counter((EXAMPLE / "expected.txt").read_text().splitlines())


def test_an_empty_folder_and_one_with_other_files_are_taken(workspace: Workspace) -> None:
    (workspace.folder / "demo").mkdir()
    (workspace.folder / "demo" / "notes.txt").write_text("mine")
    assert workspace.scoopi("new", "demo").code == 0
    assert (workspace.folder / "demo" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_overwritten(workspace: Workspace, name: str) -> None:
    mine = workspace.folder / "demo" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    ended = workspace.scoopi("new", "demo")
    assert ended.code == 2
    assert ended.err == f"scoopi: demo/{name}: this file already exists; choose another folder\n"
    assert mine.read_text() == "mine"
    assert [path for path in (workspace.folder / "demo").rglob("*") if path.is_file()] == [mine]


def test_a_folder_that_cannot_be_made_is_named(workspace: Workspace) -> None:
    (workspace.folder / "demo").write_text("a file")
    ended = workspace.scoopi("new", "demo")
    assert ended.code == 5
    assert "demo" in ended.err
    assert "choose another folder" in ended.err


def test_it_is_the_first_example_with_other_comments() -> None:
    def without_comments(path: Path) -> list[str]:
        lines = (re.sub(r"\s+# .*", "", line) for line in path.read_text().splitlines())
        return [line for line in lines if line.strip() and line.lstrip()[0] != "#"]

    for name in FILES:
        assert without_comments(STARTER / name) == without_comments(EXAMPLE / name)
