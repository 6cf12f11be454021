"""Fixtures of the tests of the scheduler's language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.defs.schedule.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "jobs")
