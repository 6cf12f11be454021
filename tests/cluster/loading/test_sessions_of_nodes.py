"""Sessions over nodes: one of them logs in to a site, and all use its session."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.cluster.grids import SharedMember
from tests.cluster.hammers.hammer_round import read_nodes_rows
from tests.cluster.loading.test_politeness_of_nodes import DEFINITIONS, LIMIT_S, three_nodes
from tests.engine.requests.test_logins import LOGIN, Shop, server, shop
from tests.reliability.world import World
from tests.server.server import Server

__all__ = ["server", "shop"]
PAGES = 30


def test_three_nodes_log_in_to_a_site_once(
    member: SharedMember,
    tmp_path: Path,
    server: Server,
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    locators = "\n".join(f'      - {{ name: p{n}, url: "{server.url(f"/p{n}")}" }}' for n in range(PAGES))
    login = LOGIN.format(host=server.host(0), url=server.url(""))
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "defs.yml").write_text(DEFINITIONS.format(locators=locators) + login)
    rows = Counter(f"p{number}|pages|text|page" for number in range(PAGES))
    world = World(tmp_path / "defs", rows, PAGES)
    with three_nodes(member, world, tmp_path, {"delay": 0}) as nodes:
        assert [node.wait(LIMIT_S) for node in nodes] == [0, 0, 0]
    assert read_nodes_rows(tmp_path, tmp_path.name) == rows
    assert len(shop.logins) == 1
    assert shop.refused <= 1  # robots.txt, which this site also wants a session for
