"""What scripts in JavaScript get for what they ask of a driver, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.browser.scripts.driver_calls import AttachedDriver, DriverCalls
from scoopi.configs.groups import BrowserSettings

PAGE = "data:text/html,<title>bread</title><a id=x href='%23' onclick=\"confirm('sure?')\">link</a>"


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DriverCalls]:
    started = start_chromium(BrowserSettings(), tmp_path_factory.mktemp("profile"))
    yield DriverCalls(started.driver)
    started.kill()


def ask(calls: DriverCalls, operation: str, *given: Any) -> Any:
    return json.loads(calls(operation, json.dumps(given)))


def test_elements_are_named_to_the_script_and_found_again(calls: DriverCalls) -> None:
    assert ask(calls, "get", PAGE) == {"value": None}
    link = ask(calls, "find", None, "id", "x")["value"]
    assert ask(calls, "element.text", link) == {"value": "link"}
    assert ask(calls, "run", "return {all: [arguments[0]]}", [link]) == {"value": {"all": [link]}}
    assert ask(calls, "findAll", None, "css selector", "a") == {"value": [link]}


def test_dialogs_are_read_and_answered(calls: DriverCalls) -> None:
    ask(calls, "get", PAGE)
    ask(calls, "element.click", ask(calls, "find", None, "id", "x")["value"])
    assert ask(calls, "dialog") == {"value": "sure?"}
    ask(calls, "dismiss")
    assert ask(calls, "dialog")["error"] == "NoAlertPresentException"


@pytest.mark.parametrize(
    ("operation", "given", "error"),
    [
        ("find", (None, "id", "nothing"), "NoSuchElementException"),
        ("run", ("throw new Error('no rows')", []), "JavascriptException"),
        ("get", (), "TypeError"),
    ],
)
def test_errors_have_their_name(
    calls: DriverCalls, operation: str, given: tuple[Any, ...], error: str
) -> None:
    ask(calls, "get", PAGE)
    found = ask(calls, operation, *given)
    assert found["error"] == error
    assert found["message"]


def test_keys_have_the_names_of_javas(calls: DriverCalls) -> None:
    keys = ask(calls, "keys")["value"]
    assert (keys["ENTER"], keys["ARROW_DOWN"]) == ("\ue007", "\ue015")


def test_an_attached_driver_drives_the_same_page_and_leaves_the_session_open(tmp_path: Path) -> None:
    started = start_chromium(BrowserSettings(), tmp_path)
    try:
        started.driver.get("data:text/html,<title>bread</title>")
        attached = AttachedDriver(started.driver_url, str(started.driver.session_id), "chrome")
        assert attached.title == "bread"
        attached.execute_script("document.title = 'rye'")
        assert attached.window_handles == started.driver.window_handles
        (own,) = started.driver.window_handles
        started.driver.switch_to.new_window()
        hiding = AttachedDriver(started.driver_url, str(started.driver.session_id), "chrome", (own,))
        assert hiding.window_handles == [started.driver.current_window_handle]
        started.driver.close()
        started.driver.switch_to.window(own)
        attached.quit()
        assert started.driver.title == "rye"
    finally:
        started.kill()
