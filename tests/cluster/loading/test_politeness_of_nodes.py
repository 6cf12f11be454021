"""Politeness over nodes, proven against a server's log: what a site sees, also when a node is killed."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.grids import SharedMember
from tests.cluster.hammers.hammer_round import node_arguments, node_processes, read_nodes_rows
from tests.engine.politeness.pace import Pace
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.answer import Answer
from tests.server.server import Server

DELAY_MS, SLOW_MS = 150, 120
HOSTS, PAGES = 3, 12
PERMITS = 3
SLEEP_S = 4
LIMIT_S = 60.0
DEFINITIONS = """\
locatorGroups:
  pages:
    locators:
{locators}
taskGroups:
  pages: {{ textTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


def world_of(folder: Path, urls: Sequence[str]) -> World:
    """Definitions of these pages, each of which says "Brot, Käse und Öl"."""
    folder.mkdir()
    locators = "\n".join(f'      - {{ name: p{n}, url: "{url}" }}' for n, url in enumerate(urls))
    (folder / "defs.yml").write_text(DEFINITIONS.format(locators=locators), encoding="utf-8")
    rows = Counter(f"p{number}|pages|text|Brot, Käse und Öl" for number in range(len(urls)))
    return World(folder, rows, len(urls))


@contextmanager
def three_nodes(
    member: SharedMember, world: World, folder: Path, settings: Mapping[str, object], pages: int = 0
) -> Iterator[list[ScoopiProcess]]:
    """Nodes of one run, as processes, each with a folder of its own; `pages` is the budget of the run."""
    changes = {f"scoopi.loader.fetch.{key}": value for key, value in settings.items()}
    changes["scoopi.budget.pages"] = pages
    with node_processes(node_arguments(member, world, folder.name, changes), folder, 3) as nodes:
        yield nodes


def play(nodes: list[ScoopiProcess], folder: Path, server: Server, jobs: int, is_killed: bool) -> None:
    """Have the nodes end; kill one of those that send, and start it again, if it is to be."""
    if is_killed:
        wait_until(lambda: len(server.log.all()) >= jobs // 3, "a third of the requests", LIMIT_S)
        nodes[0].signal(signal.SIGKILL)
        assert nodes[0].wait(LIMIT_S) == -signal.SIGKILL
        nodes[0] = ScoopiProcess(nodes[0].arguments, folder / "node-0")
    assert [node.wait(LIMIT_S) for node in nodes] == [0, 0, 0]


@pytest.mark.parametrize("is_killed", [False, True], ids=["together", "one killed"])
def test_each_host_sees_the_delay_from_three_nodes(
    member: SharedMember, server: Server, pace: Pace, tmp_path: Path, is_killed: bool
) -> None:
    urls = [server.url(f"/bad/slow?ms=0&page={page}", host) for host in range(HOSTS) for page in range(PAGES)]
    world = world_of(tmp_path / "defs", urls)
    with three_nodes(member, world, tmp_path, {"delay": DELAY_MS, "parallelism": 1}) as nodes:
        play(nodes, tmp_path, server, world.jobs, is_killed)
    for host in range(HOSTS):
        pace.assert_kept(DELAY_MS, parallelism=1, number=host)
    assert read_nodes_rows(tmp_path, tmp_path.name) == world.rows
    asked = Counter(seen.host for seen in server.log.all() if seen.path == "/robots.txt")
    assert set(asked.values()) == {1} or is_killed, "of all nodes one reads a robots.txt"
    assert len(server.log.all()) == world.jobs + HOSTS or is_killed


@pytest.mark.parametrize("is_killed", [False, True], ids=["together", "one killed"])
def test_a_host_without_delay_sees_no_more_requests_at_once_than_allowed_from_three_nodes(
    member: SharedMember, server: Server, pace: Pace, tmp_path: Path, is_killed: bool
) -> None:
    urls = [server.url(f"/bad/slow?ms={SLOW_MS}&page={page}") for page in range(HOSTS * PAGES)]
    world = world_of(tmp_path / "defs", urls)
    with three_nodes(member, world, tmp_path, {"delay": 0, "parallelism": PERMITS}) as nodes:
        play(nodes, tmp_path, server, world.jobs, is_killed)
    pace.assert_kept(0, parallelism=PERMITS)
    assert server.log.most_in_flight(server.host()) > 1
    assert read_nodes_rows(tmp_path, tmp_path.name) == world.rows


@pytest.mark.parametrize("is_killed", [False, True], ids=["together", "one killed"])
def test_three_nodes_have_one_budget(
    member: SharedMember, server: Server, tmp_path: Path, is_killed: bool
) -> None:
    """They count once a second, and when they take: so they exceed it, but load by far not everything."""
    budget, pages = 20, 400
    urls = [server.url(f"/bad/slow?ms=0&page={page}") for page in range(pages)]
    world = world_of(tmp_path / "defs", urls)
    with three_nodes(member, world, tmp_path, {"delay": DELAY_MS, "parallelism": 1}, budget) as nodes:
        play(nodes, tmp_path, server, budget, is_killed)
    asked = {seen.path for seen in server.log.all() if seen.path != "/robots.txt"}
    assert budget <= len(asked) < pages / 4
    rows = read_nodes_rows(tmp_path, tmp_path.name)
    assert rows.total() == len(asked)
    assert rows <= world.rows


def test_a_host_that_asks_to_be_left_alone_is_left_alone_by_three_nodes(
    member: SharedMember, tmp_path: Path
) -> None:
    refused: list[str] = []

    def pages(path: str) -> bytes | Answer | None:
        if path == "/robots.txt":
            return None
        if path == "/5" and not refused:
            refused.append(path)
            return Answer(b"busy", 429, headers=(("Retry-After", str(SLEEP_S)),))
        return "<p>Brot, Käse und Öl".encode()

    with Server(pages) as server:
        world = world_of(tmp_path / "defs", [server.url(f"/{page}") for page in range(PAGES)])
        with three_nodes(member, world, tmp_path, {"delay": DELAY_MS, "parallelism": 1}) as nodes:
            play(nodes, tmp_path, server, world.jobs, is_killed=False)
        seen = server.log.all()
    (place,) = (place for place, each in enumerate(seen) if each.status == 429)
    ended = seen[place].ended
    assert ended is not None
    assert seen[place + 1].started - ended >= SLEEP_S - 0.1
    assert read_nodes_rows(tmp_path, tmp_path.name) == world.rows
