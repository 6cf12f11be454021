"""`scoopi rows` and `report.records` of a run of a cluster: the rows of all nodes, on a real member."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import DONE, WRONG_USAGE
from tests.cluster.crew import LIMIT_S, Crew
from tests.engine.desk import wait_until
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
    """Unused: these crews have definitions of their own."""
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
    crew_of: Callable[..., Crew], defs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = crew_of("output", defs=defs, **SLOW)
    monkeypatch.chdir(crew.output.parent)
    nodes = [crew.start("ann"), crew.start("bob")]

    def rows() -> list[str]:
        assert not any(node.done() and node.exception() for node in nodes), "a node failed"
        code, out, err = crew.ask("rows", crew.run_name, "--output", "cards.csv")
        return out.splitlines() if (code, err) == (DONE, "") else []

    wait_until(lambda: len(rows()) > 2, "rows during the run", LIMIT_S)
    reports = [node.result(LIMIT_S) for node in nodes]

    assert sorted(rows()) == sorted(
        ["title,price", *(f"{t},{'2' if t == 'same' else '1.50'}" for t in TITLES)]
    )
    _, out, _ = crew.ask("rows", crew.run_name, "--output", "sqlite:cards.db#cards")
    assert sorted(json.loads(line)["title"] for line in out.splitlines()) == TITLES
    for report in reports:
        assert sorted(record["title"] for record in report.records("card")) == TITLES


def test_a_run_of_a_cluster_that_is_not_named_is_an_error_with_a_hint(
    crew_of: Callable[..., Crew], defs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = crew_of("output", defs=defs)
    monkeypatch.chdir(crew.output.parent)
    crew.run("ann")

    crew.address = ""
    code, _, err = crew.ask("rows", crew.run_name)

    assert code == WRONG_USAGE
    assert "add --cluster HOST:PORT" in err
