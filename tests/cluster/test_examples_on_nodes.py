"""The examples over nodes: one, two and three of them give the rows that one machine gives."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scoopi.app import Scoopi
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from tests.examples.example import Example, Rows, examples, published

LIMIT_S = 60.0
ASKING = """
locatorGroups: { city: { locators: [ { name: oslo, url: page.html } ] } }
taskGroups: { city: { kind: { dataDef: kind } } }
dataDefs:
  kind:
    query: { block: body, selector: p }
    items: [ item: { name: cluster, script: "configs.isCluster()" } ]
"""
HEADER = re.compile(r'"?name"?[,;]|(title|stars|harbour),[a-z_,]+$')
OF_NODE = re.compile(r"-node\d(?=\.|$)")
"""What a node adds to the name of a file."""


def run_on_nodes(example: Example, folder: Path, cluster: ClusterClient, nodes: int) -> list[RunReport]:
    """Run it on nodes that begin together and share the output folder."""
    reached = cluster.settings
    settings = {
        "scoopi.cluster.addresses": ",".join(reached.addresses),
        "scoopi.cluster.name": reached.name,
        "scoopi.cluster.quorum.size": str(nodes),
        "scoopi.cluster.heartbeat": "100",
        "scoopi.cluster.liveness.gap": "10000",
        "scoopi.monitor.timerPeriod": "100",
        "scoopi.datastore.path": str(folder / "kept"),
    }

    def run(number: int) -> RunReport:
        given = {**settings, "scoopi.cluster.node": f"node{number}"}
        return Scoopi(
            example.folder, given, output=folder, conf=example.conf, environ={}, run_name=folder.name
        ).run()

    with ThreadPoolExecutor(nodes) as pool:
        return list(pool.map(run, range(nodes), timeout=LIMIT_S))


def has_key(example: Example) -> bool:
    """Whether records with equal keys are one; each node compares only those of its own files."""
    return any(re.search(r"^ *key:", path.read_text(), re.MULTILINE) for path in example.folder.glob("*.yml"))


def union(run: Path, is_keyed: bool = False) -> Rows:
    """The rows of all nodes' files; a header, which each of them has, counts once."""
    rows: Rows = {}
    for name, lines in published(run).items():
        gathered = rows.setdefault(OF_NODE.sub("", name), Counter())
        for line, number in lines.items():
            counts_once = is_keyed or HEADER.match(line)
            gathered[line] = max(number, gathered[line]) if counts_once else gathered[line] + number
    return {"": next(iter(rows.values()))} if len(rows) == 1 else rows


def assert_as_expected(example: Example, folder: Path, cluster: ClusterClient, nodes: int) -> None:
    """All nodes end well, and together they have the rows."""
    reports = run_on_nodes(example, folder, cluster, nodes)
    assert [(report.status, report.errors) for report in reports] == [(RunStatus.DONE, ())] * nodes
    assert {report.jobs.left for report in reports} == {0}
    assert union(Path(reports[0].folder), has_key(example)) == example.expected()


@pytest.mark.parametrize("nodes", [1, 2, 3])
@pytest.mark.parametrize("example", examples(), ids=lambda example: example.folder.name)
def test_an_example_gives_its_rows_on_any_number_of_nodes(
    example: Example, nodes: int, tmp_path: Path, cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where databases are made
    assert_as_expected(example, tmp_path, cluster, nodes)
    HazelcastStore(cluster, tmp_path.name).destroy()  # a member has no room for the maps of all runs


def test_a_script_knows_whether_its_run_is_one_of_a_cluster(tmp_path: Path, cluster: ClusterClient) -> None:
    asking = Example(tmp_path / "defs")
    asking.folder.mkdir()
    (asking.folder / "page.html").write_text("<p>Oslo</p>")
    (asking.folder / "defs.yml").write_text(ASKING)
    alone = asking.run(tmp_path / "alone")
    (on_node,) = run_on_nodes(asking, tmp_path, cluster, nodes=1)
    reported = [[*rows] for run in (alone, on_node) for rows in published(Path(run.folder)).values()]
    assert reported == [["oslo|city|false|Oslo"], ["oslo|city|true|Oslo"]]
    HazelcastStore(cluster, tmp_path.name).destroy()
