"""A run over HTTP/2 loses no page, however its server ends connections, and asks for none twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.engine.requests.test_requests import run
from tests.engine.workspace import Workspace
from tests.fetch.conftest import certificate  # noqa: F401 - a fixture
from tests.server.http2_server import End, Http2Server

PAGES = 60


@pytest.mark.parametrize("end", [End.GOAWAY, End.CUT])
def test_every_page_comes_whatever_becomes_of_the_connections(
    workspace: Workspace,
    certificate: tuple[Path, Path],  # noqa: F811
    end: End,
) -> None:
    workspace.settings |= {"scoopi.retry.delay": 20, "scoopi.loader.fetch.errorDelay": 0}
    with Http2Server(certificate, end, every=15) as server:
        site = f"{{ http2: true, parallelism: 8, ca: {certificate[0]}, retry: {{ attempts: 20 }} }}"
        run(
            workspace,
            [f'url: "{server.url(f"/{page}")}"' for page in range(PAGES)],
            f'sites: {{ "*": {site} }}\n',
        )
        assert server.other_protocols == 0
        assert Counter(server.answered()) == Counter(f"/{page}" for page in range(PAGES))
        assert any(not asked.is_answered for asked in server.asked), "some were under way as it ended"
    assert workspace.rows().total() == PAGES


def test_fetch_shows_that_a_page_came_over_http2(
    workspace: Workspace,
    certificate: tuple[Path, Path],  # noqa: F811
) -> None:
    with Http2Server(certificate, End.GOAWAY) as server:
        (workspace.folder / "defs.yml").write_text(
            f'locatorGroups: {{ page: "{server.url("/1")}" }}\n'
            "taskGroups: { page: { titles: { dataDef: title } } }\n"
            "dataDefs: { title: { fields: { title: h1 } } }\n"
            f'sites: {{ "*": {{ http2: true, robots: false, ca: {certificate[0]} }} }}\n'
        )
        ended = workspace.scoopi("fetch", server.url("/1"), "--defs", "defs.yml")
    assert " over HTTP/2  (ms: " in ended.out, ended.out + ended.err
