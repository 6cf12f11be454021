"""Databases and columns for the tests of outputs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from scoopi.outputs.databases.database import Database
from scoopi.outputs.target import parse_target


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return Database(parse_target("sqlite:books.db#books"), tmp_path)
    url = request.getfixturevalue("postgres_url")
    return Database(parse_target(f"{url}#books"), tmp_path)


@pytest.fixture
def connection() -> Iterator[sa.Connection]:
    """A connection to an empty SQLite database in memory."""
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        yield connection
    engine.dispose()
