"""A clock, and the jobs of two nodes, for the tests of the protocol."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import Store

if TYPE_CHECKING:
    from tests.outputs.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def store_database(postgres: PostgresServer) -> str:
    """The URL of a database for the spaces of many tests."""
    return postgres.database(f"stores_{secrets.token_hex(4)}")


@pytest.fixture
def ann(store: Store) -> JobStore:
    """The jobs as a node has them; its tests give the store."""
    return JobStore(store, "ann")


@pytest.fixture
def bob(store: Store) -> JobStore:
    """As `ann`, for another node."""
    return JobStore(store, "bob")
