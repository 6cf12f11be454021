"""What is expected of records is compared with those of all nodes, though each publishes its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import code_of_report
from tests.cluster.node_runner import NodeRunner
from tests.reliability.world import World
from tests.server.server import Server

PAGES = 20
HOSTS = 4
DEFS = """
locatorGroups: {{ page: [{urls}] }}
taskGroups:
  page:
    enough: {{ dataDef: enough, output: enough.csv }}
    few: {{ dataDef: few, output: few.csv }}
dataDefs:
  enough: {{ each: li, fields: {{ title: b }}, expect: {{ records: "{pages}-{pages}", title: "100 %" }} }}
  few: {{ each: li, fields: {{ title: b }}, expect: {{ records: "{more}-" }} }}
"""


@pytest.fixture
def world(tmp_path: Path, server: Server, pages: Path) -> World:
    for page in range(PAGES):
        (pages / f"{page}.html").write_text(f"<li><b>{page}</b>")
    urls = ", ".join(f'"{server.url(f"/{page}.html", page % HOSTS)}"' for page in range(PAGES))
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "defs.yml").write_text(DEFS.format(urls=urls, pages=PAGES, more=PAGES + 1))
    return World(tmp_path / "defs", Counter(map(str, range(PAGES))), PAGES)


def test_records_of_all_nodes_are_compared_with_what_is_expected(
    runner_of: Callable[..., NodeRunner], world: World
) -> None:
    runner = runner_of(**{"scoopi.cluster.quorum.size": "2"})
    reports = runner.run("ann", "bob")
    assert [code_of_report(report) for report in reports] == [4, 4]
    for report in reports:
        (unmet,) = report.unmet
        assert unmet.endswith(f"few: there are {PAGES} records, expected: {PAGES + 1}-")
    assert runner.rows("enough-*.csv") - Counter({"title": 2}) == world.rows
    assert runner.rows("few-*.csv.held") - Counter({"title": 2}) == world.rows
    assert not [*runner.folder.glob("enough*.held"), *runner.folder.glob("few*.csv")]
    code, _, err = runner.ask("retry", str(runner.folder))
    assert (code, "nothing to retry" in err) == (0, True)
