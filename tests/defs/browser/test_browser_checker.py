"""What is wrong in how pages are loaded in a browser: one finding each, with its place and a hint."""

from __future__ import annotations

import pytest

from tests.defs.browser.test_browser_builder import definitions_with
from tests.defs.written import Check


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("{ max: 3 }", ": an action says nothing to do; give each entry one of click, type, press,"),
        ("{ click: a, hover: b }", ": an action has click and hover; give each entry one of click,"),
        ("{ type: oslo }", '.type: in is missing; add `in: "SELECTOR"` with the field that type is for'),
        ("{ click: a, in: b }", ".in: in does nothing beside click; remove it"),
        ("{ hover: a, max: 3 }", ".max: max does nothing beside hover; remove it"),
        ("{ press: Entr }", ".press: there is no key Entr; did you mean Enter?"),
        ("{ screenshot: a/b }", '.screenshot: screenshot is "a/b", which is not a plain name; use letters,'),
        ("{ scroll: end, until: all }", '.until: until is "all"; write `until: \'no-new "li.item"\'` with'),
        ("{ scroll: a, until: no-new li }", ".scroll: until needs a scroll to the end of the page; write"),
        ("{ scroll: end, max: 3 }", ".max: max does nothing without until; add `until: 'no-new"),
        ("{ select: XL, on: a }", ": unknown key on; the element is named by `in`, or beside the verb, as"),
        ("{ accept: dialog }", ": unknown key accept; write `dialog: accept` or `dialog: dismiss`"),
        ("{ wait: 500 }", ".wait: wait must be a mapping, not a text; write `wait: { time: 500 }`"),
        ("{ wait: 2s }", ".wait: wait must be a mapping, not a text; write `wait: { time: 2000 }`"),
        ("{ wait: li }", '.wait: wait must be a mapping, not a text; write `wait: { selector: "li.item" }`'),
        ("{ wait: { gone: '' } }", '.wait.gone: gone is blank; write `gone: ".spinner"`'),
        ("{ click: //button }", ".click: click is `//button`, which browsers cannot read; write a CSS sel"),
        ("{ scroll: 500 }", ".scroll: scroll is `500`, which browsers cannot read; write a CSS selector"),
        ('{ type: a, in: "p:contains(x)" }', ".in: in is `p:contains(x)`, which browsers cannot read; writ"),
        (
            """{ scroll: end, until: 'no-new "p:contains(x)"' }""",
            '.until: until is `no-new "p:contains(x)"`, which browsers cannot read; write a CSS selector',
        ),
        ("{ wait: { gone: 'li:eq(2)' } }", ".wait.gone: gone is `li:eq(2)`, which browsers cannot read; w"),
        (
            "{ wait: { time: 500 }, timeout: 400 }",
            ".wait.time: time is 500 ms, more than the timeout of 400 ms; raise `timeout`, in ms",
        ),
        ("{ dialog: ok }", '.dialog: dialog is "ok"; known are accept, dismiss'),
        ("{ wait: {} }", ".wait: there is nothing to wait for; give selector, gone, text, idle or time"),
        ("{ click: a, timeout: 0 }", ".timeout: timeout is 0, but must be at least 1; give a larger number"),
        (
            "{ frame: main }",
            ".frame: frame is `main`, which is not an `iframe`; write `frame: top` to return",
        ),
        ("{ frame: Top }", ".frame: frame is `Top`, which is not an `iframe`; write `frame: top` to return"),
        (
            "{ select: '${env:KEY}', in: p }",
            ".select: select cannot have a secret; a secret is the whole text of `t",
        ),
        ("{ type: 'a${env:KEY}', in: p }", ".type: type cannot have a secret; a secret is the whole text"),
        ("{ wait: { text: '${env:KEY}' } }", ".wait.text: text cannot have a secret; a secret is the who"),
        ("{ frame: top }", ": no frame was entered before; remove it"),
        ("{ window: main }", ": no window was entered before; remove it"),
        ("{ window: popup }", '.window: window is "popup"; known are new, main'),
        ("{ window: new, max: 2 }", ".max: max does nothing beside window; remove it"),
        ("{ click: a, timeout: 2s }", '.timeout: timeout must be a whole number of ms, not "2s"; write `t'),
        ("{ clik: a }", ": unknown key clik; did you mean click?"),
        (
            '"click .more"',
            ': actions[0] must be a mapping, not a text; write `actions: [ { click: "button.more" } ]`',
        ),
    ],
)
def test_what_cannot_work_is_named_with_its_place(check: Check, action: str, said: str) -> None:
    (found,) = check(definitions_with(f"{{ actions: [ {action} ] }}")).found
    assert found.startswith("6:"), found
    assert f"error taskGroups.city.browser.actions[0]{said}" in found


@pytest.mark.parametrize("word", ["bottom-of-page", "End", "top", "page-end"])
def test_a_word_for_a_place_that_scroll_reads_as_a_selector_is_a_warning(check: Check, word: str) -> None:
    (found,) = check(definitions_with(f"{{ actions: [ {{ scroll: {word} }} ] }}")).found
    said = f".scroll: scroll is `{word}`, which is read as the name of an element; write `scroll: end` for"
    assert f"warning taskGroups.city.browser.actions[0]{said}" in found


@pytest.mark.parametrize("selector", ["footer", "page-list", "end.of-list", "main"])
def test_the_name_of_an_element_is_no_word_for_a_place(check: Check, selector: str) -> None:
    assert (
        check(definitions_with(f"{{ actions: [ {{ scroll: {selector} }}, {{ frame: iframe }} ] }}")).found
        == []
    )


def test_a_password_in_the_definitions_is_a_warning_that_does_not_show_it(check: Check) -> None:
    result = check(definitions_with("{ actions: [ { type: s3cret, in: 'input[type=password]' } ] }"))
    (found,) = result.found
    assert "s3cret" not in "".join(each.line for each in result.report.findings)
    assert "warning taskGroups.city.browser.actions[0].type: this types a password that stands in" in found
    right = """{ type: "${env:PW}", in: "#password" }, { type: x, in: "#passage" }"""
    assert check(definitions_with(f"{{ actions: [ {right} ] }}")).found == []


def test_a_window_is_entered_in_its_page_and_not_in_a_frame(check: Check) -> None:
    right = "{ window: new, optional: true }, { frame: '#f' }, { frame: top }, { window: main }"
    assert check(definitions_with(f"{{ actions: [ {right} ] }}")).found == []
    (found,) = check(
        definitions_with("{ actions: [ { frame: '#f' }, { click: a }, { window: new }, { frame: top } ] }")
    ).found
    assert "browser.actions[3]: no frame was entered before; remove it" in found


@pytest.mark.parametrize(
    ("selector", "missing"),
    [("#x[", "]"), ("li:not(.a", ")"), ("a[href='x]", "'"), ("li:has(a[b)", "]")],
)
def test_a_selector_without_its_end_is_a_warning(check: Check, selector: str, missing: str) -> None:
    (found,) = check(definitions_with(f'{{ actions: [ {{ click: "{selector}" }} ] }}')).found
    said = f".click: click is `{selector}`, which lacks a `{missing}`; add `{missing}`"
    assert f"warning taskGroups.city.browser.actions[0]{said}" in found


def test_an_action_after_one_that_is_no_mapping_has_its_own_number(check: Check) -> None:
    found = check(definitions_with("{ actions: [ click, { hover: //a } ] }")).found
    assert ["browser.actions[0]: " in found[0], "browser.actions[1].hover: " in found[1]] == [True, True]


def test_blocked_hosts_are_patterns(check: Check) -> None:
    (found,) = check(definitions_with("{ block: [ ads.example, http://ads.example/x ] }")).found
    said = 'browser.block[1]: "http://ads.example/x" is not a host pattern; write a host\'s name without'
    assert said in found


def test_a_wait_for_nothing_is_an_error(check: Check) -> None:
    (found,) = check(definitions_with("{ until: {} }")).found
    assert "taskGroups.city.browser.until: there is nothing to wait for" in found


def test_a_placeholder_that_means_nothing_is_an_error(check: Check) -> None:
    written_actions = (
        '{ actions: [ { type: "%{locator.name}%%{x}", in: "#a" }, { click: "#%{locator.nam}" } ] }'
    )
    (found,) = check(definitions_with(written_actions)).found
    assert "browser.actions[1].click: there is no value locator.nam here" in found
    (found,) = check(definitions_with('{ until: { text: "%{record.name}" } }')).found
    assert "browser.until.text: there is no value record.name here" in found


@pytest.mark.parametrize(
    ("browser", "said"),
    [
        ("{ until: { time: 20000 } }", ".until.time: time is 20000 ms, more than the timeout of 10000 ms;"),
        (
            "{ until: { idle: 900 }, timeout: 800 }",
            ".until.idle: idle is 900 ms, more than the timeout of 80",
        ),
        ("{ until: { selector: ../x } }", ".until.selector: selector is `../x`, which browsers cannot read;"),
        (
            "{ selector: p }",
            ": selector is a key of `until`; write it there: `until: { selector: p }`",
        ),
        (
            "{ until: { selector: '' } }",
            ".until.selector: selector is blank; write `selector: ",
        ),
        ("{ until: { text: ' ' } }", ".until.text: text is blank; write `text: "),
        ("{ wait: 500 }", ": wait is a key of `actions`; write it there: `actions: [ { wait: { selector: "),
        ("{ images: true }", ": unknown key images; images are loaded on all pages if the setting scoopi."),
        (
            "{ click: p }",
            ": click is a key of `actions`; write it there: `actions: [ { click: p } ]`",
        ),
    ],
)
def test_what_no_page_can_meet_is_an_error(check: Check, browser: str, said: str) -> None:
    (found,) = check(definitions_with(browser)).found
    assert f"error taskGroups.city.browser{said}" in found


def test_selectors_that_browsers_can_read_are_accepted(check: Check) -> None:
    selectors = (
        "[title=':contains(x)']",
        "a[href='//x']",
        "li:has(> b)",
        "*|a",
        "#%{locator.name}",
        r"li.a\\(b",
        "a[title='(']",
    )
    actions = ", ".join(f'{{ click: "{each}" }}' for each in selectors)
    assert check(definitions_with(f"{{ actions: [ {actions} ] }}")).found == []
