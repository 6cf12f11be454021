"""How pages are loaded in a browser, as written, and what is wrong there."""

from __future__ import annotations

import pytest

from scoopi.model.definitions import BrowserDef, Until
from tests.defs.written import DATA, PLACES, Check

GROUP = """\
taskGroups:
  city:
    loader: browser
    browser: {0}
    temps: {{ dataDef: temps }}
"""


def written(browser: str) -> str:
    return PLACES + GROUP.format(browser) + DATA


def built(check: Check, browser: str) -> BrowserDef:
    outcome = check(written(browser))
    assert outcome.found == []
    found = outcome.definitions.task_groups["city"].browser
    assert found is not None
    return found


def test_what_is_waited_for_is_read(check: Check) -> None:
    found = built(check, '{ until: { gone: ".spinner", idle: 500 }, timeout: 3000 }')
    assert found == BrowserDef(Until(gone=".spinner", idle_ms=500), timeout_ms=3000)
    assert built(check, "{ frames: true, shadow: no, paced: true }") == BrowserDef(frames=True, paced=True)
    assert built(check, "{ shadow: true }") == BrowserDef(shadow=True)


def test_actions_are_read_in_order(check: Check) -> None:
    actions = (
        '{ click: ".more", max: 5, optional: true }, { type: oslo, in: "#q" },'
        "{ press: Enter, timeout: 700 }, "
        ' { select: XL, in: "#size" }, { hover: nav }, { scroll: footer }, { wait: { text: ready } }, '
        "{ screenshot: offers }, { script: go() }, { frame: '#f' }, { frame: top }, { dialog: accept }"
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
        ("dialog", "", "accept"),
    ]
    assert (found[0].most, found[0].optional, found[2].timeout_ms) == (5, True, 700)
    assert found[6].until == Until(text="ready")
    assert (found[1].key, found[1].place.line) == ("taskGroups.city.browser.actions[1]", 6)


@pytest.mark.parametrize("until", ['no-new "li.item"', "no-new 'li.item'", "no-new li.item"])
def test_a_scroll_knows_what_it_brings(check: Check, until: str) -> None:
    quoted = until.replace("'", "''")
    (found,) = built(check, f"{{ actions: [ {{ scroll: end, until: '{quoted}', max: 20 }} ] }}").actions
    assert (found.text, found.selector, found.most) == ("end", "li.item", 20)
    (found,) = built(check, f"{{ actions: [ {{ scroll: end, until: '{quoted}' }} ] }}").actions
    assert found.most == 100


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("{ max: 3 }", ": an action says nothing to do; give each entry one of click, type, press,"),
        ("{ click: a, hover: b }", ": an action has click and hover; give each entry one of click,"),
        ("{ type: oslo }", '.type: in is missing; add `in: "SELECTOR"` with the field that type is for'),
        ("{ click: a, in: b }", ".in: in does nothing beside click; take it out"),
        ("{ hover: a, max: 3 }", ".max: max does nothing beside hover; take it out"),
        ("{ press: Entr }", ".press: there is no key Entr; did you mean Enter?"),
        ("{ screenshot: a/b }", '.screenshot: screenshot is "a/b", a plain name is needed; use letters,'),
        ("{ scroll: end, until: all }", '.until: until is "all"; write `until: \'no-new "li.item"\'` with'),
        ("{ scroll: a, until: no-new li }", ".scroll: until needs a scroll to the end of the page; write"),
        ("{ dialog: ok }", '.dialog: dialog is "ok"; known are accept, dismiss'),
        ("{ wait: {} }", ".wait: there is nothing to wait for; give selector, gone, text, idle or time"),
        ("{ click: a, timeout: 0 }", ".timeout: timeout is 0, 1 is the least; give a larger number"),
        ("{ frame: top }", ": no frame was entered before; take it out"),
        ("{ clik: a }", ": unknown key clik; did you mean click?"),
        (
            '"click .more"',
            ': actions[0] is a text, a mapping is needed; write `actions: [ { click: "button.more" } ]`',
        ),
    ],
)
def test_what_cannot_work_is_named_with_its_place(check: Check, action: str, said: str) -> None:
    found = check(written(f"{{ actions: [ {action} ] }}")).found
    assert found[0].startswith("6:"), found
    assert f"error taskGroups.city.browser.actions[0]{said}" in found[0]


def test_blocked_hosts_are_patterns(check: Check) -> None:
    assert built(check, '{ block: [ "*.ads.example", localhost ] }').block == ("*.ads.example", "localhost")
    (found,) = check(written("{ block: [ ads.example, http://ads.example/x ] }")).found
    said = 'browser.block[1]: "http://ads.example/x" is not a pattern of a host; write a host\'s name without'
    assert said in found


def test_a_wait_for_nothing_is_an_error(check: Check) -> None:
    (found,) = check(written("{ until: {} }")).found
    assert "taskGroups.city.browser.until: there is nothing to wait for" in found


def test_a_placeholder_that_means_nothing_is_an_error(check: Check) -> None:
    written_actions = (
        '{ actions: [ { type: "%{locator.name}%%{x}", in: "#a" }, { click: "#%{locator.nam}" } ] }'
    )
    (found,) = check(written(written_actions)).found
    assert "browser.click: there is no value locator.nam here" in found
    (found,) = check(written('{ until: { text: "%{record.name}" } }')).found
    assert "browser.until" in found or "browser.text" in found
