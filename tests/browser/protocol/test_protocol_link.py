"""The connection to a real browser over its own protocol."""

from __future__ import annotations

import threading

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException

from scoopi.browser.chromium.chromium_driver import address_of
from scoopi.browser.protocol.protocol_link import NoAnswerError, ProtocolLink, RejectedError
from scoopi.browser.started import Started


def test_commands_are_answered_and_fail_when_the_browser_has_ended(started: Started) -> None:
    assert isinstance(started.driver, webdriver.Chrome)
    devtools = ProtocolLink(address_of(started.driver.capabilities))
    assert "product" in devtools.call("Browser.getVersion")
    with pytest.raises(WebDriverException, match=r"rejected the command Browser\.noSuchThing: "):
        devtools.call("Browser.noSuchThing")
    seen, came = [], threading.Event()

    def on_event(name: str, event: object) -> None:
        seen.append(name)
        came.set()

    devtools.listen("", on_event)
    devtools.post("Target.setDiscoverTargets", {"discover": True})
    assert came.wait(30)
    assert seen[0] == "Target.targetCreated"
    rejected: list[RejectedError] = []
    devtools.post("Browser.noSuchThing", {}, on_rejected=rejected.append)
    devtools.post("Browser.noSuchThing")
    with pytest.raises(RejectedError, match="noSuchCommand"):
        devtools.call_all([("Browser.getVersion", {}), ("Browser.noSuchCommand", {})])
    assert [error.method for error in rejected] == ["Browser.noSuchThing"]
    started.kill()
    with pytest.raises(WebDriverException):
        devtools.call("Browser.getVersion")


def test_a_browser_that_is_not_there_cannot_be_connected_to() -> None:
    with pytest.raises(WebDriverException, match="own protocol cannot be used"):
        address_of({"goog:chromeOptions": {"debuggerAddress": "127.0.0.1:1"}})
    with pytest.raises(WebDriverException, match="own protocol cannot be used"):
        ProtocolLink("ws://127.0.0.1:1/devtools")
    assert address_of({"se:cdp": "ws://grid/session/1/se/cdp"}) == "ws://grid/session/1/se/cdp"


def test_an_event_that_cannot_be_handled_ends_the_connection(started: Started) -> None:
    assert isinstance(started.driver, webdriver.Chrome)
    devtools, came = ProtocolLink(address_of(started.driver.capabilities)), threading.Event()

    def on_event(name: str, event: object) -> None:
        came.set()
        raise ValueError("an address that cannot be read")

    devtools.listen("", on_event)
    devtools.post("Target.setDiscoverTargets", {"discover": True})
    assert came.wait(30)
    with pytest.raises(WebDriverException) as raised:
        devtools.call("Browser.getVersion")
    assert not isinstance(raised.value, NoAnswerError), "nobody waits for an answer that nobody reads"
