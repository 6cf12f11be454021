"""Fixtures of the tests of a scheduler's state."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.defs.yaml.report import Report
from scoopi.serve.state import State
from tests.serve.serving import Serving

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Deployed = Callable[[str], State]


@pytest.fixture
def deployed(tmp_path: Path) -> Iterator[Deployed]:
    """Deploys processes, given as text, into a state; a second call deploys into the same."""
    with State(tmp_path / "scheduler") as state:

        def deploy(text: str) -> State:
            jobs = tmp_path / "jobs"
            jobs.mkdir(exist_ok=True)
            (jobs / "jobs.yml").write_text(textwrap.dedent(text))
            state.deploy(jobs, lambda path, inputs: Report(), NOW)
            return state

        yield deploy


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    """An empty project whose processes a test deploys and serves."""
    return Serving(tmp_path)
