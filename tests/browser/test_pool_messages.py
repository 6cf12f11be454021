"""What is sent over the pool's socket arrives as it was."""

from __future__ import annotations

from multiprocessing import Pipe

import pytest

from scoopi.browser.pool_messages import (
    BrowserReserved,
    Rendered,
    Reply,
    Visit,
    VisitFailed,
    receive_reply,
    receive_visit,
    send,
)
from scoopi.model.scrape.browser_def import BrowserDef, Until


@pytest.mark.parametrize(
    "reply",
    [
        BrowserReserved(),
        Rendered("http://a/", b"<p>", 200, {"a": "b"}),
        VisitFailed("what", "cause", "reset", "hint"),
    ],
)
def test_a_reply_arrives(reply: Reply) -> None:
    here, there = Pipe()
    send(here, reply)
    assert receive_reply(there) == reply


def test_a_visit_arrives_and_the_end_of_the_other_side_is_heard() -> None:
    here, there = Pipe()
    visit = Visit("http://a/", {"User-Agent": "x"}, 1.5, BrowserDef(Until(selector="p", time_ms=3)))
    send(here, visit)
    assert receive_visit(there) == visit
    here.close()
    with pytest.raises(EOFError):
        receive_visit(there)
