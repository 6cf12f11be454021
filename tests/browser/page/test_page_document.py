"""What of a page is read, with frames and shadow roots, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.pool_messages import Rendered, Visit
from scoopi.model.scrape.browser_def import BrowserDef, Until
from tests.server.server import Server

PAGE = """<!doctype html><body><shop-price id=host><i>light</i></shop-price>
<template><u>template</u></template>
<iframe id=inner srcdoc="<p>framed<script>parent.done = true</script>"></iframe>
<iframe id=foreign src="data:text/html,<p>foreign"></iframe>
<script>
const shadow = host.attachShadow({mode: 'open'});
shadow.innerHTML = '<b>4.20</b><div id=nested></div>';
shadow.getElementById('nested').attachShadow({mode: 'open'}).innerHTML = '<s>deep</s>';
setInterval(() => { if (window.done) document.body.dataset.state = 'ready'; }, 20);
</script></body>"""


@pytest.fixture
def address(pages: Path, server: Server) -> str:
    (pages / "parts.html").write_text(PAGE)
    return server.url("/parts.html")


@pytest.mark.parametrize(("frames", "shadow"), [(False, False), (True, False), (False, True), (True, True)])
def test_frames_and_shadow_roots_are_read_by_option(
    browser: Browser, address: str, frames: bool, shadow: bool
) -> None:
    how = BrowserDef(Until(selector="[data-state=ready]"), 30_000, frames=frames, shadow=shadow)
    page = browser.load(Visit(address, {}, 60.0, how))
    assert isinstance(page, Rendered)
    read = page.body.decode().partition("<script>\nconst shadow")[0]
    assert read.startswith("<!DOCTYPE html><html><head></head><body data-state=")
    assert "<template><u>template</u></template>" in read
    framed = '<div id="inner"><p>framed<script>parent.done = true</script></p></div>'
    assert (framed in read) is frames
    assert ('<iframe id="inner"' in read) is not frames
    deep = '<shop-price id="host"><b>4.20</b><div id="nested"><s>deep</s></div><i>light</i></shop-price>'
    assert (deep in read) is shadow
    assert ("<p>foreign</p>" in read) is frames
    assert ('<iframe id="foreign"' in read) is not frames
