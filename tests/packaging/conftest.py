"""The two wheels, each built and installed once a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.packaging.installed import Installed, install


@pytest.fixture(scope="session", params=["compiled", "pure Python"])
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Scoopi as the wheel of this platform, and as the one that is made without a compiler."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return install(shared / "packaging" / request.param.replace(" ", "-"), request.param)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A folder that is empty."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder
