"""DriverCalls: executes calls of scripts in JavaScript with a driver, whose session another process owns."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Keys
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from urllib3.exceptions import HTTPError

_ELEMENT = "$element"
"""The key of an object that stands for an element."""
_OF_DRIVER: Mapping[str, Callable[..., Any]] = {
    "get": WebDriver.get,
    "title": lambda driver: driver.title,
    "url": lambda driver: driver.current_url,
    "source": lambda driver: driver.page_source,
    "find": lambda driver, within, how, what: (within or driver).find_element(how, what),
    "findAll": lambda driver, within, how, what: (within or driver).find_elements(how, what),
    "run": lambda driver, script, given: driver.execute_script(script, *given),
    "runAsync": lambda driver, script, given: driver.execute_async_script(script, *given),
    "back": WebDriver.back,
    "forward": WebDriver.forward,
    "refresh": WebDriver.refresh,
    "window": lambda driver, handle: driver.switch_to.window(handle),
    "windowHandle": lambda driver: driver.current_window_handle,
    "windowHandles": lambda driver: driver.window_handles,
    "resize": WebDriver.set_window_size,
    "frame": lambda driver, which: driver.switch_to.frame(which),
    "parentFrame": lambda driver: driver.switch_to.parent_frame(),
    "page": lambda driver: driver.switch_to.default_content(),
    "active": lambda driver: driver.switch_to.active_element,
    "accept": lambda driver: driver.switch_to.alert.accept(),
    "dismiss": lambda driver: driver.switch_to.alert.dismiss(),
    "dialog": lambda driver: driver.switch_to.alert.text,
    "answer": lambda driver, text: driver.switch_to.alert.send_keys(text),
    "implicitWait": lambda driver, ms: driver.implicitly_wait(ms / 1000),
    "scriptTimeout": lambda driver, ms: driver.set_script_timeout(ms / 1000),
    "forgetCookies": WebDriver.delete_all_cookies,
    "sleep": lambda driver, ms: time.sleep(max(0.0, ms / 1000)),
    "keys": lambda driver: {name: key for name, key in vars(Keys).items() if name.isupper()},
}
_OF_ELEMENT: Mapping[str, Callable[..., Any]] = {
    "click": WebElement.click,
    "type": WebElement.send_keys,
    "clear": WebElement.clear,
    "submit": WebElement.submit,
    "text": lambda element: element.text,
    "attribute": WebElement.get_attribute,
    "property": WebElement.get_property,
    "css": WebElement.value_of_css_property,
    "tag": lambda element: element.tag_name,
    "isDisplayed": WebElement.is_displayed,
    "isEnabled": WebElement.is_enabled,
    "isSelected": WebElement.is_selected,
}


class AttachedDriver(WebDriver):
    """A driver's session that another process has begun, and will end.

    Args:
        url: address of the driver.
        session: id of the session.
        browser: the browser's name.
        hidden: handles of windows that plugins do not see.
    """

    def __init__(self, url: str, session: str, browser: str, hidden: tuple[str, ...] = ()) -> None:
        self._attached_to = session, browser
        self._hidden = frozenset(hidden)
        connection = RemoteConnection(client_config=ClientConfig(remote_server_addr=url))
        super().__init__(connection, options=ArgOptions())

    def start_session(self, capabilities: dict[str, Any]) -> None:
        """Use the session of the other process; `capabilities` are ignored."""
        self.session_id, browser = self._attached_to
        self.caps = {"browserName": browser}

    @property
    def window_handles(self) -> list[str]:
        """The handles of the page's window and of those that it has opened."""
        return [each for each in super().window_handles if each not in self._hidden]

    def quit(self) -> None:
        """Do nothing: the session belongs to the pool of browsers."""


class DriverCalls:
    """Executes calls of scripts in JavaScript with a driver.

    Called with the name of an operation and its arguments, a list in JSON; returns `{"value": …}` or, with
    the name of the exception, `{"error": …, "message": …}` as JSON. Operations of an element begin with
    `element.` and have the element as their first argument. An element is `{"$element": KEY}`.
    """

    def __init__(self, driver: WebDriver) -> None:
        self._driver = driver
        self._elements: dict[str, WebElement] = {}

    def __call__(self, operation: str, given: str) -> str:
        of_element = operation.removeprefix("element.")
        try:
            arguments = self._read(json.loads(given))
            if of_element == operation:
                result = _OF_DRIVER[operation](self._driver, *arguments)
            else:
                result = _OF_ELEMENT[of_element](*arguments)
            return json.dumps({"value": self._written(result)})
        except (WebDriverException, HTTPError, OSError, TypeError, ValueError) as error:
            text = str(getattr(error, "msg", error) or "").partition("\n")[0]
            return json.dumps({"error": type(error).__name__, "message": text})

    def _read(self, given: Any) -> Any:
        if isinstance(given, list):
            return [self._read(each) for each in given]
        if isinstance(given, dict):
            if _ELEMENT in given:
                return self._elements[given[_ELEMENT]]
            return {name: self._read(each) for name, each in given.items()}
        return given

    def _written(self, result: Any) -> Any:
        if isinstance(result, WebElement):
            self._elements[result.id] = result
            return {_ELEMENT: result.id}
        if isinstance(result, list):
            return [self._written(each) for each in result]
        if isinstance(result, dict):
            return {name: self._written(each) for name, each in result.items()}
        return result if isinstance(result, str | int | float | bool | None) else None
