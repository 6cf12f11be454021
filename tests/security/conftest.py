"""A workspace in the current folder, and a cluster with an attacker; hosts are asked without delay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from scoopi.store.cluster.cluster_client import ClusterClient
    from tests.cluster.node_runner import NodeRunner

DEFS = """
dataDefs:
  lines:
    query: { block: "body", selector: "p" }
    items: [ item: { name: text } ]
taskGroups:
  pages: { lineTask: { dataDef: lines } }
locatorGroups:
  pages: { locators: [ { name: page, url: page.html } ] }
"""


@pytest.fixture
def attacker(cluster: ClusterClient) -> Iterator[Any]:
    """A client of the members that anyone may have."""
    from tests.security.hostile_grid import attacker_of

    with attacker_of(cluster) as client:
        yield client


@pytest.fixture
def runner(cluster: ClusterClient, tmp_path: Path) -> Iterator[NodeRunner]:
    """Of a run with one local page."""
    from scoopi.runs.cluster.cluster_runs import runs_of
    from scoopi.store.cluster.cluster_backend import ClusterBackend
    from tests.cluster.node_runner import NodeRunner

    defs = tmp_path / "world" / "defs"
    defs.mkdir(parents=True)
    (defs / "page.html").write_text("<p>a row</p>", encoding="utf-8")
    (defs / "defs.yml").write_text(DEFS, encoding="utf-8")
    with NodeRunner(cluster, defs, tmp_path / "out", f"{tmp_path.name}-run", {}) as runner:
        yield runner
    runs_of(ClusterBackend(cluster, "test"), "test").forget(runner.run_name)
