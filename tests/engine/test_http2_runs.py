"""A run over HTTP/2 loses no page, however its server ends connections, and asks for none twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.engine.desk import Desk
from tests.engine.test_requests import run
from tests.fetch.conftest import certificate  # noqa: F401 - a fixture
from tests.server.http2_server import End, Http2Server

PAGES = 60


@pytest.mark.parametrize("end", [End.GOAWAY, End.CUT])
def test_every_page_comes_whatever_becomes_of_the_connections(
    desk: Desk,
    certificate: tuple[Path, Path],  # noqa: F811
    end: End,
) -> None:
    desk.settings = {"scoopi.retry.delay": 20, "scoopi.loader.fetch.errorDelay": 0}
    with Http2Server(certificate, end, every=15) as server:
        site = f"{{ http2: true, parallelism: 8, ca: {certificate[0]}, retry: {{ attempts: 20 }} }}"
        run(
            desk, [f'url: "{server.url(f"/{page}")}"' for page in range(PAGES)], f'sites: {{ "*": {site} }}\n'
        )
        assert server.other_protocols == 0
        assert Counter(server.answered()) == Counter(f"/{page}" for page in range(PAGES))
        assert any(not asked.is_answered for asked in server.asked), "some were under way as it ended"
    assert desk.rows().total() == PAGES
