"""A page in a real browser is completed as the definitions say, or fails with their place."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from scoopi.browser.page.page_completion import PageCompletion
from scoopi.browser.page.page_wait import VisitFailedError
from scoopi.browser.pool_messages import Visit
from scoopi.browser.started import Started
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.engine.workspace import wait_until
from tests.server.server import Server


def test_a_page_is_read_once_its_actions_are_done_and_until_holds(
    started: Started, server: Server, late_table: str, tmp_path: Path
) -> None:
    url = server.url(late_table)
    completion = PageCompletion(started, tmp_path, ())
    started.tab.open(Visit(url, {}, 60.0, BrowserDef()))
    started.driver.get(url)
    fill = ActionDef("script", "actions[0]", text="document.body.title = 'filled'")
    how = BrowserDef(Until(selector="#prices"), 30_000, actions=(fill,))
    found = completion.complete(how, url, time.monotonic() + 30.0)
    assert 'title="filled"' in found["body"]
    assert "Rye" in found["body"]
    assert completion.lost() is None
    assert completion.late() is None
    lacking = BrowserDef(Until(selector="#none", place=Place("shop.yml", 7, 9)), 100)
    with pytest.raises(VisitFailedError, match="no element matches `#none`") as failed:
        completion.complete(lacking, url, time.monotonic() + 30.0)
    assert "`until` at shop.yml:7:9" in failed.value.failure.cause
    completion.limit.wait(30.0)
    started.driver.execute_script("location = 'http://127.0.0.1:1/'")
    wait_until(completion.lost, "the end of the page")
    lost = completion.lost()
    assert lost is not None
    assert lost.what.startswith("the page went to http://127.0.0.1:1/: the ")
