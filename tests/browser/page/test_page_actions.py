"""What definitions let a browser do on a page, in a real one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scoopi.browser.browser import CRASHED, Browser
from scoopi.browser.browser_watch import BrowserWatch
from scoopi.browser.page.page_actions import page_mark
from scoopi.browser.page.page_snapshots import PageSnapshots
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.configs.groups import BrowserSettings
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.browser.kinds import each_browser
from tests.server.server import Server

NO_WAIT = Until()
SHOP = """<!doctype html><body>
<input id=city value=old><select id=size><option value=m>Medium<option value=x>XL</select>
<p id=said></p><p id=hovered onmouseenter="this.textContent = 'over'">hover here</p>
<button id=more>more</button><ul id=list></ul>
<button id=ask onclick="said.textContent += confirm('Sure?') ? '|yes' : '|no'">ask</button>
<button id=covered>covered</button>
<a id=stalls href="/bad/never-answers">stalls</a><input id=file type=file><input id=fixed readonly>
<p style="height: 3000px"></p><p id=far onmouseenter="this.textContent = 'over there'">far away</p>
<iframe id=frame srcdoc="<button onclick=&quot;this.textContent = 'done'&quot;>in frame</button>"></iframe>
<script>
let left = 3;
more.onclick = () => {
  setTimeout(() => list.insertAdjacentHTML('beforeend', '<li>item</li>'), 50);
  if (!--left) more.remove();
};
city.onkeydown = event => { if (event.key === 'Enter') said.textContent = city.value };
size.onchange = () => { said.textContent += '|' + size.value };
</script></body>"""
ALERTING = "<!doctype html><p>before</p><script>alert('first'); confirm('second')</script><p>after</p>"
POLLING = """<!doctype html><p id=p>waiting</p><script>
let left = 3;
const ask = () => fetch('/ticks/' + left).finally(() => {
  if (--left) ask(); else p.textContent = 'settled';
});
ask();
</script>"""


def action(verb: str, text: str = "", selector: str = "", **more: Any) -> ActionDef:
    place = Place("shop.yml", 7, 9)
    return ActionDef(verb, "taskGroups.shop.browser.actions[0]", place, text=text, selector=selector, **more)


def body(page: Rendered | VisitFailed) -> str:
    assert isinstance(page, Rendered), page
    return page.body.decode()


@pytest.fixture
def shop(pages: Path, server: Server) -> str:
    (pages / "shop.html").write_text(SHOP)
    return server.url("/shop.html")


def page_after(
    browser: Browser, url: str, *actions: ActionDef, until: Until = NO_WAIT
) -> Rendered | VisitFailed:
    how = BrowserDef(until, timeout_ms=30_000, actions=actions)
    return browser.load(Visit(url, {}, 60.0, how))


@each_browser
def test_a_form_is_filled_in_and_elements_are_used(browser: Browser, shop: str) -> None:
    page = body(
        page_after(
            browser,
            shop,
            action("type", "oslo", "#city"),
            action("press", "Enter", "#city"),
            action("select", "XL", "#size"),
            action("hover", selector="#hovered"),
            action("hover", selector="#far"),
            action("script", "document.title = 'ran'"),
            action("click", selector="#more", most=9),
            action("scroll", "#hovered", "#hovered"),
            action("click", selector="#nothing", optional=True, timeout_ms=50),
            until=Until(selector="li:nth-child(3)"),
        )
    )
    assert '<p id="said">oslo|x</p>' in page
    assert ">over</p>" in page
    assert ">over there</p>" in page
    assert "<title>ran</title>" in page
    assert page.count("<li>item</li>") == 3 + 1, "three, and the one in the script"


@each_browser
def test_a_dialog_is_dismissed_unless_an_action_accepts_it(browser: Browser, shop: str) -> None:
    page = page_after(
        browser,
        shop,
        action("click", selector="#ask"),
        action("dialog", "accept"),
        action("click", selector="#ask"),
        action("hover", selector="#hovered"),
        action("script", "ask.click()"),
        action("dialog", "accept"),
    )
    assert '<p id="said">|yes|no|yes</p>' in body(page)


@each_browser
def test_dialogs_of_a_page_that_loads_do_not_stop_it(browser: Browser, server: Server, pages: Path) -> None:
    (pages / "alert.html").write_text(ALERTING)
    assert "after" in body(page_after(browser, server.url("/alert.html"), until=Until(text="after")))


@each_browser
def test_what_is_done_in_a_frame_stays_there(browser: Browser, shop: str) -> None:
    in_frame = (
        action("frame", "#frame", "#frame"),
        action("click", selector="button"),
        action("wait", until=Until(text="done")),
    )
    assert "<ul id=" in body(page_after(browser, shop, *in_frame, action("frame", "top"))), "the page is read"
    assert "<ul id=" in body(page_after(browser, shop, *in_frame)), "also without going back"


@each_browser
def test_a_page_is_idle_when_its_requests_have_ended(browser: Browser, server: Server, pages: Path) -> None:
    (pages / "polling.html").write_text(POLLING)
    page = body(page_after(browser, server.url("/polling.html"), until=Until(idle_ms=2000)))
    assert ">settled<" in page


def test_a_screenshot_is_saved_under_its_name(browser: Browser, shop: str) -> None:
    assert isinstance(page_after(browser, shop, action("screenshot", "offers")), Rendered)
    (saved,) = (browser.profile / "shots").iterdir()
    assert saved.name == f"offers-{page_mark(shop)}.png"
    assert saved.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (action("click", selector="#none", timeout_ms=200), "click #none: no element matches within 0.2 s"),
        (action("click", selector="a:contains(x)"), "a selector cannot be read by a browser"),
        (
            action("select", "S", "#size", timeout_ms=200),
            "select S: its list has no such option within 0.2 s",
        ),
        (action("script", "gone.x.y()"), "the script failed: "),
        (action("dialog", "accept", timeout_ms=200), "no dialog opened within 0.2 s"),
        (action("scroll", "end", "p:contains(x)", most=3), "a selector cannot be read by a browser"),
        (
            action("wait", until=Until(text="no"), timeout_ms=200),
            "wait text `no`: after 0.2 s, the text `no` is not shown",
        ),
        (action("wait", until=Until(time_ms=900), timeout_ms=200), "its `time` alone is 900 ms"),
        (action("wait", until=Until("p:contains(x)")), "a selector cannot be read by a browser"),
        (action("select", "S", "#city", timeout_ms=200), "select S: no list (`select`) matches within 0.2 s"),
        (action("frame", "#city", "#city", timeout_ms=200), "no frame matches within 0.2 s"),
        (action("type", "/gone", "#file", timeout_ms=200), "the browser refused it: File not found : /gone"),
        (
            action("type", "x", "#fixed", timeout_ms=200),
            "did not become a field that takes text within 0.2 s",
        ),
        (action("script", "throw 7"), "the script failed: it threw a value that is not an Error"),
        (
            action("script", "return new Promise(() => {})", timeout_ms=200),
            "the script did not end within 0.2 s",
        ),
        (
            action("click", selector="#stalls", timeout_ms=200),
            "the page did not answer within 0.2 s, or the page that it led to did not load",
        ),
    ],
)
def test_what_cannot_be_done_names_its_place(
    browser: Browser, shop: str, wrong: ActionDef, said: str
) -> None:
    failed = page_after(browser, shop, wrong)
    assert isinstance(failed, VisitFailed)
    assert said in failed.what
    assert "the action at shop.yml:7:9 failed: " in failed.what
    assert failed.hint
    assert not failed.reason, "another attempt would fail too"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (action("script", "while (true);", timeout_ms=200), "the script did not end within 0.2 s"),
        (action("click", selector="#loops", timeout_ms=200), "the page did not answer within 0.2 s"),
    ],
)
def test_a_script_without_an_end_is_interrupted_and_its_page_is_kept(
    browser: Browser, shop: str, wrong: ActionDef, said: str
) -> None:
    make = action("script", "more.id = 'loops'; loops.onclick = () => { while (true); }")
    with BrowserWatch(browser, 60.0, 4096) as watch:
        failed = page_after(browser, shop, make, wrong)
    assert watch.verdict is None
    assert isinstance(failed, VisitFailed)
    assert said in failed.what
    assert "shop.yml:7:9" in failed.what
    assert "in frame" in Path(failed.kept).with_suffix(".html").read_text()


def test_a_loop_that_a_browser_cannot_end_names_its_action_and_costs_the_browser(
    shop: str, tmp_path: Path
) -> None:
    settings = BrowserSettings(browser="firefox").with_firefox()
    browser = Browser(settings, tmp_path, tmp_path / "shots", PageSnapshots(tmp_path / "kept"))
    loop = action("script", "while (true);", timeout_ms=100)
    with BrowserWatch(browser, 300.0, 4096) as watch, pytest.raises(CRASHED):
        page_after(browser, shop, loop)
    assert watch.verdict is not None
    assert "action at shop.yml:7:9 failed: script while (true);: the script did not end" in watch.verdict.what
    assert not watch.verdict.reason, "another attempt would fail too"


@each_browser
def test_an_element_is_hovered_over_once_it_can_be(browser: Browser, shop: str) -> None:
    hide = "hovered.style.display = 'none'; setTimeout(() => hovered.style.display = '', 400)"
    page = body(page_after(browser, shop, action("script", hide), action("hover", selector="#hovered")))
    assert ">over</p>" in page


def test_a_screenshot_that_cannot_be_written_fails_its_page_with_the_reason(
    tmp_path: Path, server: Server, pages: Path
) -> None:
    (pages / "shop.html").write_text(SHOP)
    (tmp_path / "shots").write_text("a file where the folder should be")
    browser = Browser(BrowserSettings(), tmp_path, tmp_path / "shots", PageSnapshots(tmp_path / "kept"))
    try:
        how = BrowserDef(NO_WAIT, actions=(action("screenshot", "shop"),))
        failed = browser.load(Visit(server.url("/shop.html"), {}, 30.0, how))
        assert isinstance(failed, VisitFailed)
        assert "a screenshot cannot be written: File exists" in failed.what
        assert not failed.reason, "another attempt would find the same"
    finally:
        browser.kill()
