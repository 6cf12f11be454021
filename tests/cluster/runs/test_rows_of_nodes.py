"""`scoopi rows` and `report.records` of a run of a cluster: the rows of all nodes, on a real member."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import DONE, WRONG_USAGE
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.world import World
from tests.server.server import Server

PAGES = 12
SLOW = {"scoopi.loader.fetch.delay": "100", "scoopi.loader.fetch.parallelism": "1"}
DEFINITIONS = """\
locatorGroups: {{ list: [ {urls} ] }}
taskGroups:
  list: {{ cards: {{ dataDef: card, output: [ cards.csv, "sqlite:cards.db#cards" ] }} }}
dataDefs:
  card:
    each: li
    key: [ title ]
    fields: {{ title: a, price: {{ select: b, type: decimal }} }}
"""
TITLES = sorted(["same", *(f"t{number}" for number in range(PAGES))])


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Unused: these runners have definitions of their own."""
    return World(tmp_path, Counter(), 0)


@pytest.fixture
def defs(tmp_path: Path, pages: Path, server: Server) -> Path:
    """Pages with a record each, and one that all of them have."""
    for number in range(PAGES):
        cards = f"<li><a>t{number}</a><b>1.50</b><li><a>same</a><b>2</b>"
        (pages / f"p{number}.html").write_text(cards)
    urls = ", ".join(f'"{server.url(f"/p{number}.html")}"' for number in range(PAGES))
    (tmp_path / "defs.yml").write_text(DEFINITIONS.format(urls=urls))
    return tmp_path / "defs.yml"


def test_rows_of_all_nodes_are_printed_during_the_run_and_after_it_keyed_ones_once(
    runner_of: Callable[..., NodeRunner], defs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = runner_of("output", defs=defs, **SLOW)
    monkeypatch.chdir(runner.output.parent)
    nodes = [runner.start("ann"), runner.start("bob")]

    def rows() -> list[str]:
        assert not any(node.done() and node.exception() for node in nodes), "a node failed"
        code, out, err = runner.ask("rows", runner.run_name, "--output", "cards.csv")
        return out.splitlines() if (code, err) == (DONE, "") else []

    wait_until(lambda: len(rows()) > 2, "rows during the run", LIMIT_S)
    reports = [node.result(LIMIT_S) for node in nodes]

    assert sorted(rows()) == sorted(
        ["title,price", *(f"{t},{'2' if t == 'same' else '1.50'}" for t in TITLES)]
    )
    _, out, _ = runner.ask("rows", runner.run_name, "--output", "sqlite:cards.db#cards")
    assert sorted(json.loads(line)["title"] for line in out.splitlines()) == TITLES
    for report in reports:
        assert sorted(record["title"] for record in report.records("card")) == TITLES


def test_a_run_of_a_cluster_that_is_not_named_is_an_error_with_a_hint(
    runner_of: Callable[..., NodeRunner], defs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = runner_of("output", defs=defs)
    monkeypatch.chdir(runner.output.parent)
    runner.run("ann")

    runner.address = ""
    code, _, err = runner.ask("rows", runner.run_name)

    assert code == WRONG_USAGE
    assert "add --cluster HOST:PORT" in err
