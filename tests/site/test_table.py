"""The table of docs/misbehaving-sites.md states what the engine does with each page of the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.markdown import Page
from tests.engine.workspace import Workspace
from tests.site.misbehaving_site import PAGES, MisbehavingSite
from tests.site.visit import Visit, visit

DOCUMENT = Page("docs/misbehaving-sites.md")
HEAD = ("page", "the site", "Scoopi", "requests", "message")
ROWS = {row[0]: row for row in DOCUMENT.tables(*HEAD)}
ROBOTS = {row[0]: row for row in DOCUMENT.tables("page", "robots.txt", "Scoopi", "requests", "message")}


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Visit]]:
    """What came of every page of the site, in one run of the engine."""
    folder = tmp_path_factory.mktemp("workspace")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            patch.delenv(name, raising=False)
        with MisbehavingSite(Path(folder)) as site:
            yield visit(Workspace(folder), site, PAGES)


def test_the_table_has_every_page_of_the_site_once() -> None:
    assert sorted([*ROWS, *ROBOTS]) == sorted(PAGES)


@pytest.mark.parametrize("name", [*ROWS, *ROBOTS])
def test_the_engine_does_what_the_table_states(visits: dict[str, Visit], name: str) -> None:
    _, _, outcome, requests, message = (ROWS | ROBOTS)[name]
    found = visits[name]
    assert found.outcome == outcome, found
    least, _, most = requests.partition("-")
    assert int(least) <= found.requests <= int(most or least), found
    assert message in found.message, found
    assert message or not found.message, found
