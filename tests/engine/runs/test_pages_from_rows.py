"""Runs whose pages are rows: of a database, and of what other runs have written."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace, kill_after
from tests.server.server import Server

SHOPS = 12
LINKS = """\
locatorGroups: { list: "ADDRESS/list" }
taskGroups:
  list: { links: { dataDef: link, output: [ links.csv, links.jsonl.zst ] } }
dataDefs:
  link: { each: li, fields: { address: { select: a @href, type: url }, town: a } }
"""
SHOP = """\
locatorGroups:
  shop: { from: SOURCE, url: "%{address}" }
taskGroups:
  shop: { shops: { dataDef: shop, output: shops.csv } }
dataDefs:
  shop: { fields: { name: h1, town: { parent: town } } }
"""
GRID = """\
locatorGroups: { list: { locators: [ { name: all, url: "ADDRESS/list" } ] } }
taskGroups:
  list: { links: { dataDef: link } }
dataDefs:
  link:
    query: { block: "ul", selector: "li:nth-child(%{item.index}) > a attribute: href" }
    items: [ item: { name: town, indexRange: 1-2, selector: "li:nth-child(%{index}) > a" } ]
"""
EXPECTED = Counter((f"shop {n}", f"town {n}") for n in range(SHOPS))


def page(path: str) -> bytes:
    if path == "/list":
        links = "".join(f"<li><a href='/shop/{n}'>town {n}</a></li>" for n in range(SHOPS))
        return f"<ul>{links}</ul>".encode()
    return f"<h1>shop {path.rpartition('/')[2]}</h1>".encode()


@pytest.fixture
def server(workspace: Workspace) -> Iterator[Server]:
    with Server(page) as server:
        workspace.settings |= {"scoopi.loader.fetch.delay": 60, "scoopi.loader.robots": False}
        yield server


def write(workspace: Workspace, name: str, definitions: str, server: Server, source: str = "") -> None:
    text = definitions.replace("ADDRESS", server.url("")).replace("SOURCE", source)
    (workspace.folder / name).write_text(text)


def newest(workspace: Workspace) -> Path:
    """The run that finished last."""
    return (workspace.folder / "output" / "latest").resolve()


def shops(workspace: Workspace) -> Counter[tuple[str, ...]]:
    with (newest(workspace) / "shops.csv").open(newline="") as file:
        return Counter(map(tuple, [*csv.reader(file)][1:]))


@pytest.mark.parametrize("output", ["links.csv", "links.jsonl.zst"])
def test_pages_are_what_the_newest_run_of_other_definitions_has_found(
    workspace: Workspace, server: Server, output: str
) -> None:
    write(workspace, "links.yml", LINKS, server)
    write(workspace, "shops.yml", SHOP, server, f"{{ run: links.yml, output: {output} }}")
    refused = workspace.process("run", "shops.yml", "--quiet")
    assert refused.code == 3
    assert "no run of links.yml in output is finished; run it with `scoopi links.yml`" in refused.err
    assert workspace.process("run", "links.yml", "--workers", 0, "--quiet").code == 0
    assert workspace.process("run", "shops.yml", "--workers", 0, "--quiet").code == 0
    assert shops(workspace) == EXPECTED
    assert json.loads((newest(workspace) / "run.json").read_text())["definitions"].endswith("/shops.yml")


def test_pages_are_rows_of_a_grid_by_the_names_of_its_columns(workspace: Workspace, server: Server) -> None:
    write(workspace, "links.yml", GRID, server)
    source = "{ run: latest, output: data.txt }"
    write(workspace, "shops.yml", SHOP.replace("%{address}", "ADDRESS%{fact}"), server, source)
    assert workspace.process("run", "links.yml", "--workers", 0, "--quiet").code == 0
    grids = json.loads((newest(workspace) / "run.json").read_text())["grids"]
    assert grids == {
        "data.txt": {"columns": ["name", "group", "town", "fact"], "delimiter": "|", "quote": "minimal"}
    }
    assert workspace.process("run", "shops.yml", "--workers", 0, "--quiet").code == 0
    assert shops(workspace) == Counter((f"shop {n}", f"town {n}") for n in range(2))


def test_a_killed_run_is_resumed_with_the_rows_that_the_database_gave_when_it_began(
    workspace: Workspace, server: Server
) -> None:
    path = workspace.folder / "shops.db"
    rows = [(server.url(f"/shop/{n}"), f"town {n}") for n in range(SHOPS)]
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE shops (address, town)")
        database.executemany("INSERT INTO shops VALUES (?, ?)", rows)
    database.close()
    write(
        workspace, "shops.yml", SHOP, server, '{ database: "sqlite:shops.db", query: "select * from shops" }'
    )
    running = workspace.start("run", "shops.yml", "--workers", 0, "--quiet")
    kill_after(3, running, server)
    path.unlink()
    assert workspace.process("resume", "--workers", 0, "--quiet").code == 0
    assert shops(workspace) == EXPECTED
