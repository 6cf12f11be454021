"""Placeholders of actions get the values of a page's locator, and values stay values."""

from __future__ import annotations

import pytest

from scoopi.browser.filled_actions import FilledActions
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from scoopi.model.text.secrets import MissingSecretError

URL = "http://shop.example/search"


def filled(verb: str, text: str = "", selector: str = "", name: str = "Oslo") -> ActionDef:
    how = BrowserDef(actions=(ActionDef(verb, "key", text=text, selector=selector),))
    (action,) = FilledActions(how).of(name, URL).actions
    return action


def test_what_has_no_placeholders_stays_as_it_is() -> None:
    how = BrowserDef(Until(text="100%"), actions=(ActionDef("type", "key", text="oslo", selector="#c"),))
    assert FilledActions(how).of("a", URL) is how


def test_texts_selectors_and_conditions_are_filled() -> None:
    until = Until(selector="#%{locator.name}", gone="i", text="Prices of %{locator.name}")
    how = BrowserDef(until, actions=(ActionDef("wait", "key", until=until),))
    found = FilledActions(how).of("Oslo", URL)
    assert found.until == found.actions[0].until == Until("#Oslo", "i", "Prices of Oslo")
    assert filled("type", "%{locator.name} %{locator.url} %%{x}").text == f"Oslo {URL} %{{x}}"


def test_a_secret_is_typed_if_the_definitions_name_it_and_not_the_locator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PASSWORD", "right\n")
    assert filled("type", "${env:PASSWORD}", "#pass").text == "right"
    assert filled("type", "%{locator.name}", name="${env:PASSWORD}").text == "${env:PASSWORD}"
    assert filled("script", "${env:PASSWORD}").text == "${env:PASSWORD}"
    monkeypatch.delenv("PASSWORD")
    with pytest.raises(MissingSecretError, match="PASSWORD"):
        filled("type", "${env:PASSWORD}")


@pytest.mark.parametrize(
    ("verb", "given", "name", "expected"),
    [
        ("click", "a[title='%{locator.name}']", "O'x\"\\", r"a[title='O\'x\"\\']"),
        ("script", "go('%{locator.name}')", "'); steal('", r"go('\'); steal(\'')"),
        ("script", "go(`%{locator.name}`)", "${steal()}`\n", r"go(`\${steal()}\`\n`)"),
    ],
)
def test_a_value_does_not_leave_its_quotes(verb: str, given: str, name: str, expected: str) -> None:
    action = filled(verb, text=given, selector=given, name=name)
    assert (action.text if verb == "script" else action.selector) == expected
