"""How pages are loaded in a browser, as written."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from scoopi.model.place import NOWHERE
from scoopi.model.scrape.browser_def import BrowserDef, Until
from tests.defs.written import DATA, PLACES, Check

GROUP = """\
taskGroups:
  city:
    loader: browser
    browser: {0}
    temps: {{ dataDef: temps }}
"""


def definitions_with(browser: str) -> str:
    return PLACES + GROUP.format(browser) + DATA


def built(check: Check, browser: str) -> BrowserDef:
    outcome = check(definitions_with(browser))
    assert outcome.found == []
    found = outcome.definitions.task_groups["city"].browser
    assert found is not None
    return found


def test_what_is_waited_for_is_read(check: Check) -> None:
    found = built(check, '{ until: { gone: ".spinner", idle: 500 }, timeout: 3000 }')
    assert (found.until.place.line, found.until.place.column) == (6, 23)
    until = replace(found.until, place=NOWHERE)
    assert replace(found, until=until) == BrowserDef(Until(gone=".spinner", idle_ms=500), timeout_ms=3000)
    assert built(check, "{ frames: true, shadow: no, paced: true }") == BrowserDef(frames=True, paced=True)
    assert built(check, "{ shadow: true }") == BrowserDef(shadow=True)


def test_actions_are_read_in_order(check: Check) -> None:
    actions = (
        '{ click: ".more", max: 5, optional: true }, { type: oslo, in: "#q" },'
        "{ press: Enter, timeout: 700 }, "
        ' { select: XL, in: "#size" }, { hover: nav }, { scroll: footer }, { wait: { text: ready } }, '
        "{ screenshot: offers }, { script: go() }, { frame: '#f' }, { frame: top }, { window: new }, "
        "{ dialog: accept }"
    )
    found = built(check, f"{{ actions: [ {actions} ] }}").actions
    assert [(each.verb, each.selector, each.text) for each in found] == [
        ("click", ".more", ".more"),
        ("type", "#q", "oslo"),
        ("press", "", "Enter"),
        ("select", "#size", "XL"),
        ("hover", "nav", "nav"),
        ("scroll", "footer", "footer"),
        ("wait", "", ""),
        ("screenshot", "", "offers"),
        ("script", "", "go()"),
        ("frame", "#f", "#f"),
        ("frame", "", "top"),
        ("window", "", "new"),
        ("dialog", "", "accept"),
    ]
    assert (found[0].most, found[0].optional, found[2].timeout_ms) == (5, True, 700)
    assert replace(found[6].until, place=NOWHERE) == Until(text="ready")
    assert (found[1].key, found[1].place.line) == ("taskGroups.city.browser.actions[1]", 6)


@pytest.mark.parametrize("until", ['no-new "li.item"', "no-new 'li.item'", "no-new li.item"])
def test_a_scroll_knows_what_it_brings(check: Check, until: str) -> None:
    quoted = until.replace("'", "''")
    (found,) = built(check, f"{{ actions: [ {{ scroll: end, until: '{quoted}', max: 20 }} ] }}").actions
    assert (found.text, found.selector, found.most) == ("end", "li.item", 20)
    (found,) = built(check, f"{{ actions: [ {{ scroll: end, until: '{quoted}' }} ] }}").actions
    assert found.most == 100


def test_blocked_hosts_are_read(check: Check) -> None:
    assert built(check, '{ block: [ "*.ads.example", localhost ] }').block == ("*.ads.example", "localhost")
