"""A loader plugin that is called as a worker calls it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.worker.plugin_harness import PluginHarness


@pytest.fixture
def harness() -> Iterator[PluginHarness]:
    """Calls a loader plugin as a worker does."""
    made = PluginHarness()
    yield made
    if made.loads is not None:
        made.loads.close()
