"""Fixtures of the tests of definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.defs.written import DATA, PLACES, TASKS, Check, Outcome, check_in


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Reads one text as `defs.yml`, or several files by name."""

    def run(files: str | dict[str, str | bytes], **options: Any) -> Outcome:
        written = {"defs.yml": files} if isinstance(files, str) else files
        return check_in(tmp_path / "defs", written, **options)

    return run


@pytest.fixture
def check_item(check: Check) -> Check:
    """Reads a data definition with one item, given as the inside of its braces."""

    def run(item: str, rest: str = "", block: str = "table", selector: str = "td", **options: Any) -> Outcome:
        query = f"query: {{ block: {block!r}, selector: {selector!r} }}"
        data = f"dataDefs:\n  temps:\n    {query}\n    items: [ item: {{ {item} }} ]\n    {rest}\n"
        return check(PLACES + TASKS + data, **options)

    return run


@pytest.fixture
def check_steps(check: Check) -> Check:
    """Reads a task with steps of its own, and perhaps a section `steps`."""

    def run(task_steps: str, section: str = "", **options: Any) -> Outcome:
        tasks = f"taskGroups:\n  city: {{ temps: {{ dataDef: temps, steps: {task_steps} }} }}\n"
        return check(PLACES + tasks + DATA + section, **options)

    return run
