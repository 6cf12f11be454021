"""Actions that continue in a window which the page has opened, in real browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.browser_watch import BrowserWatch
from scoopi.browser.pool_messages import PartRequested, Rendered, Visit, VisitFailed
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.browser.kinds import each_browser
from tests.server.answer import Answer
from tests.server.server import Server

SHOP = b"""<!doctype html><title>shop</title><p id=main>the list</p><script>open('/advert')</script>
<a id=link href="/offer" target=_blank>offer</a><p id=answer></p>
<button id=later>1</button><button id=two>2</button><button id=written>3</button><button id=blob>4</button>
<button id=empty>5</button><button id=gone>6</button><button id=short>7</button><script>
later.onclick = () => setTimeout(() => open('/offer?late'), 300);
two.onclick = () => { open('/offer?1'); open('/offer?2') };
written.onclick = () => { open('').document.body.innerHTML = '<p id=made>made</p>' };
blob.onclick = () => open(URL.createObjectURL(new Blob(['<p id=made>blob</p>'], {type: 'text/html'})));
empty.onclick = () => open('about:blank');
gone.onclick = () => open('/gone');
short.onclick = () => open('/offer').close();
addEventListener('message', event => { answer.textContent = event.data });
</script>"""
OFFER = b"""<!doctype html><title>offer</title><p id=here></p><button id=pick>pick</button>
<button id=loop onclick="while (true);">loop</button><button id=done>done</button>
<script>
here.textContent = 'offer' + location.search;
pick.onclick = () => { here.className = 'picked' };
done.onclick = () => window.close();
</script>"""


@pytest.fixture
def site() -> Iterator[Server]:
    pages = {"/shop": SHOP, "/offer": OFFER, "/advert": b"<p>buy!</p>"}

    def answer(path: str) -> Answer:
        body = pages.get(path.partition("?")[0])
        return Answer(b"<p>not here</p>", 404) if body is None else Answer(body)

    with Server(answer) as server:
        yield server


def action(verb: str, text: str = "", selector: str = "", line: int = 7, **more: Any) -> ActionDef:
    return ActionDef(verb, "k", Place("shop.yml", line, 9), text=text, selector=selector, **more)


NEW, MAIN = action("window", "new", line=8), action("window", "main", line=9)


def click(name: str, **more: Any) -> ActionDef:
    return action("click", f"#{name}", f"#{name}", **more)


def loaded(
    browser: Browser, site: Server, *actions: ActionDef, until: str = "", refused: str = "none"
) -> tuple[Rendered | VisitFailed, list[PartRequested]]:
    asked: list[PartRequested] = []

    def ask(wanted: PartRequested, on_grant: Callable[[bool], None]) -> None:
        asked.append(wanted)
        on_grant(refused not in wanted.url)

    how = BrowserDef(Until(selector=until), 30_000, actions=actions)
    return browser.load(Visit(site.url("/shop"), {"User-Agent": "test/1"}, 60.0, how), ask), asked


@each_browser
@pytest.mark.parametrize("link", ["link", "later"])
def test_actions_continue_in_the_window_that_a_click_opens_and_its_page_is_read(
    browser: Browser, site: Server, link: str
) -> None:
    page, asked = loaded(browser, site, click(link), NEW, click("pick"), until=".picked")
    assert isinstance(page, Rendered), page
    assert page.url.startswith(site.url("/offer"))
    assert b'<p id="here" class="picked">offer' in page.body
    assert [(each.url, each.is_page) for each in asked] == [(page.url, True)], "by a grant, as any page"
    assert "/advert" not in site.log.paths(), "what the page opens by itself stays empty"
    (opened,) = (each for each in site.log.all() if each.path.startswith("/offer"))
    assert opened.header("user-agent") == "test/1"
    assert page.headers["content-type"].startswith("text/html")


@each_browser
def test_main_goes_back_to_the_page_that_was_asked_for(browser: Browser, site: Server) -> None:
    post = action("script", "opener?.postMessage('chosen', '*')")
    page, _ = loaded(browser, site, click("later"), NEW, post, MAIN, until="#answer:not(:empty)")
    assert isinstance(page, Rendered), page
    assert page.url == site.url("/shop")
    assert b'<p id="answer">chosen</p>' in page.body


@each_browser
def test_a_window_that_closes_itself_can_be_left(browser: Browser, site: Server) -> None:
    page, _ = loaded(browser, site, click("later"), NEW, click("done"), MAIN)
    assert isinstance(page, Rendered), page
    assert page.url == site.url("/shop")


@each_browser
def test_each_new_window_is_the_next_one_of_the_last_action(browser: Browser, site: Server) -> None:
    page, _ = loaded(browser, site, click("link"), click("two"), NEW, NEW, until="#here")
    assert isinstance(page, Rendered), page
    assert page.url == site.url("/offer?2")
    assert "/offer" not in site.log.paths(), "no action continues in the window of the link"


@each_browser
@pytest.mark.parametrize("name", ["written", "blob"])
def test_a_window_that_a_script_writes_is_read(browser: Browser, site: Server, name: str) -> None:
    page, asked = loaded(browser, site, click(name), NEW, until="#made")
    assert isinstance(page, Rendered), page
    assert (page.url, page.status, asked) == (site.url("/shop"), 200, [])


@each_browser
def test_the_answer_in_a_window_is_that_of_the_page(browser: Browser, site: Server) -> None:
    page, _ = loaded(browser, site, click("gone"), NEW)
    assert isinstance(page, Rendered), page
    assert (page.url, page.status) == (site.url("/gone"), 404)


@each_browser
def test_a_window_that_the_page_opens_by_itself_can_be_used(browser: Browser, site: Server) -> None:
    page, _ = loaded(browser, site, action("hover", "", "#main"), NEW)
    assert isinstance(page, Rendered), page
    assert page.url == site.url("/advert")


@pytest.mark.parametrize(
    ("actions", "what", "hint"),
    [
        (
            (action("script", "0"), action("window", "new", line=8, timeout_ms=300)),
            "the action at shop.yml:8:9 failed: window new: no window opened within 0.3 s",
            "an action before it has to open one, as the click on a link with `target=_blank` does",
        ),
        (
            (click("link"), action("wait", until=Until(selector="#here"), timeout_ms=4000)),
            "wait selector `#here`: after 4 s, no element matches `#here`",
            "or go to the window that the action at shop.yml:7:9 has opened: put `window: new` right after",
        ),
        (
            (click("link"), action("script", "0", line=8), action("window", "new", timeout_ms=4000)),
            "no window opened within 4 s",
            "or go to the window that the action at shop.yml:7:9 has opened: put `window: new` right after",
        ),
        (
            (click("empty"), action("window", "new", timeout_ms=4000)),
            "a window opened, but its page did not come within 4 s",
            "",
        ),
        (
            (click("later"), NEW, click("done"), action("click", "#pick", "#pick", line=11)),
            "the action at shop.yml:11:9 failed: click #pick: its window has closed",
            "go back before it by `window: main`",
        ),
        ((click("later"), NEW, click("done")), "the window of the page has closed", "look for what closes"),
    ],
)
def test_what_is_wrong_with_a_window_is_named_with_its_place(
    browser: Browser, site: Server, actions: tuple[ActionDef, ...], what: str, hint: str
) -> None:
    failed, _ = loaded(browser, site, *actions)
    assert isinstance(failed, VisitFailed)
    assert what in failed.what
    assert hint in failed.hint
    assert not failed.reason, "another attempt would fail too"


@each_browser
def test_a_window_that_does_not_open_may_be_optional(browser: Browser, site: Server) -> None:
    maybe = action("window", "new", timeout_ms=300, optional=True)
    page, _ = loaded(browser, site, action("script", "0"), maybe, click("short"), maybe)
    assert isinstance(page, Rendered), page
    assert page.url == site.url("/shop")


def test_a_window_without_a_grant_fails_with_its_address(browser: Browser, site: Server) -> None:
    failed, _ = loaded(browser, site, click("link"), NEW, click("pick", timeout_ms=200), refused="offer")
    assert isinstance(failed, VisitFailed)
    assert f"the page went to {site.url('/offer')}: the browser cannot load the page" in failed.what
    assert "/offer" not in site.log.paths()


def test_a_loop_in_a_window_is_interrupted(browser: Browser, site: Server) -> None:
    with BrowserWatch(browser, 60.0, 4096) as watch:
        failed, _ = loaded(browser, site, click("link"), NEW, click("loop", timeout_ms=300))
    assert watch.verdict is None
    assert isinstance(failed, VisitFailed)
    assert "click #loop: the page did not answer within 0.3 s" in failed.what
