"""Which windows of a page get their pages, and which one actions continue in."""

from __future__ import annotations

from scoopi.browser.page.page_windows import PageWindows
from scoopi.browser.pool_messages import VisitFailed
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from scoopi.model.scrape.plugin_def import PluginDef

CLICK = ActionDef("click", "k", Place("shop.yml", 3, 1), selector="a")
WAIT = ActionDef("wait", "k", until=Until(time_ms=100))
NEW = ActionDef("window", "k", text="new")
MAIN = ActionDef("window", "k", text="main")


def windows_of(*actions: ActionDef) -> PageWindows:
    windows = PageWindows()
    windows.begin("own", BrowserDef(actions=actions))
    return windows


def test_a_window_gets_its_page_only_if_an_action_continues_in_it() -> None:
    windows = windows_of(CLICK, WAIT, NEW, CLICK, MAIN)
    assert not windows.add("advert"), "opened by the page"
    windows.act(CLICK, (WAIT, NEW, CLICK, MAIN))
    assert windows.take_new() is None, "that of the page is not the click's"
    assert windows.add("offer")
    windows.act(WAIT, (NEW, CLICK, MAIN))
    windows.act(NEW, (CLICK, MAIN))
    assert windows.take_new() == "offer"
    assert windows.take_new() is None
    windows.act(CLICK, (MAIN,))
    assert not windows.add("basket")
    loaded = {each for each in ("advert", "offer", "basket", "own") if windows.is_loaded(each)}
    assert loaded == {"offer", "own"}


def test_windows_get_their_pages_for_script_plugins_and_if_the_first_action_goes_there() -> None:
    assert windows_of(WAIT, NEW, CLICK).add("opened")
    windows = PageWindows()
    windows.begin("own", BrowserDef(actions=(CLICK,), scripts=(PluginDef("more", "BasicScript"),)))
    windows.act(CLICK, ())
    assert windows.add("opened")


def test_a_failure_names_the_action_whose_window_was_not_used() -> None:
    failed = VisitFailed("no element matches", "cause", hint="look at its selector")
    windows = windows_of(CLICK, NEW)
    windows.add("advert")
    assert windows.hinted(failed) == failed, "the page has opened it"
    assert not windows.unused()
    windows.act(CLICK, (NEW,))
    windows.add("offer")
    assert windows.hinted(failed).hint == (
        "look at its selector, or go to the window that the action at shop.yml:3:1 has opened: "
        "put `window: new` right after it"
    )
    assert windows.unused() == "shop.yml:3:1"
    windows.take_new()
    assert windows.hinted(failed) == failed
    assert not windows.unused()


def test_a_new_visit_knows_nothing_of_the_windows_before() -> None:
    windows = windows_of(NEW)
    windows.add("opened")
    windows.current = "opened"
    assert windows.responses_of("opened") is not None
    windows.begin("next", BrowserDef())
    assert (windows.current, windows.take_new(), windows.responses_of("opened")) == ("next", None, None)
