"""A workspace, and a town whose good pages stand beside a bad one."""

from __future__ import annotations

import pytest

from tests.bad_input.town import Town
from tests.engine.workspace import Workspace


@pytest.fixture
def town(workspace: Workspace) -> Town:
    """Definitions in `defs` and good pages in `pages` of the workspace."""
    return Town(workspace.folder)
