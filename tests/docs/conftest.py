"""A folder like a checkout after its set-up, with all files that the documentation shows."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import PAGES, ROOT, Page


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`.venv/bin/scoopi` is there, and `defs/`, and the files of the blocks that name one, as `bikes/`."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "defs", folder / "defs", ignore=shutil.ignore_patterns("__pycache__"))
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    _program(programs / "scoopi", f'PYTHONPATH={ROOT} exec {sys.executable} -P -m scoopi "$@"')
    _program(programs / "python", f'PYTHONPATH={ROOT} exec {sys.executable} "$@"')
    for block in (block for name in PAGES for block in Page(name).blocks("yaml", "python")):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    shutil.copytree(ROOT / "defs" / "examples" / "bookshop" / "pages", folder / "demo" / "pages")
    shutil.copytree(folder / "demo", folder / "hourly" / "books")  # as `scoopi new hourly/books`
    (folder / "saved").mkdir()
    (folder / "saved" / "coast.html").touch()
    (folder / "bikes" / "shops.csv").write_text("id,town\nn1,oslo\n")
    return folder


def _program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
