"""Databases and columns for the tests of outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.outputs.databases.database import Database
from scoopi.outputs.target import parse_target


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return Database(parse_target("sqlite:books.db#books"), tmp_path)
    url = request.getfixturevalue("postgres_url")
    return Database(parse_target(f"{url}#books"), tmp_path)
