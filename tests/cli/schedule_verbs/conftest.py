"""A deployed project, and a terminal on which the verbs of the scheduler are run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Screen

SHOP = """
namespace: shop
processes:
  books:
    executes: "python:actions:books"
    trigger: {cron: "0 6 * * *", timezone: Europe/Berlin}
    retry: {max: 3}
  clean: {executes: "python:actions:clean", trigger: {after: books}}
  press:
    executes: external:press
    inputs: {paper: a4}
    retry: {max: 1, delay: 10m, on_exhausted: hold}
"""


class Shop(Screen):
    """A terminal in the folder of a deployed project."""

    def printed(self, *arguments: str, code: int = 0) -> str:
        """What a command writes to stdout."""
        before = len(self.out.getvalue())
        assert self.run(*arguments) == code, self.err.getvalue()
        return self.out.getvalue()[before:]

    def rows(self, *arguments: str) -> list[dict[str, object]]:
        """The rows that a command prints with `--json`."""
        return [json.loads(line) for line in self.printed(*arguments, "--json").splitlines()]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A deployed project, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("jobs").mkdir()
    Path("jobs/shop.yml").write_text(SHOP)
    shop = Shop()
    assert shop.run("deploy", "jobs", "--now", "2026-03-27T12:00:00Z") == 0
    return shop
