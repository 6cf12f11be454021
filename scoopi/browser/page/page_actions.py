"""PageActions: performs the actions of the definitions on a page in the browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    InvalidElementStateException,
    InvalidSelectorException,
    JavascriptException,
    NoAlertPresentException,
    NoSuchElementException,
    StaleElementReferenceException,
    UnexpectedAlertPresentException,
)
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from scoopi.browser.page.page_wait import (
    PageWait,
    VisitFailedError,
    comes_true,
    named,
    unreadable,
    with_dialogs_dismissed,
)
from scoopi.browser.pool_messages import VisitFailed
from scoopi.model.definitions import ActionDef
from scoopi.model.text.shown import cut

_NOT_YET = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    InvalidElementStateException,
)
"""What an element says that is not there yet, or is covered or disabled."""
_CHOOSE = """
const [list, wanted] = arguments;
const found = [...list.options].find(each => each.text.trim() === wanted || each.value === wanted);
if (!found) return false;
found.selected = true;
for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, {bubbles: true}));
return true;
"""
_NEW = """
const seen = window[Symbol.for('scoopi.seen')] ??= new WeakSet();
let found = 0;
for (const each of document.querySelectorAll(arguments[0])) if (!seen.has(each)) { seen.add(each); found++; }
return found;
"""
_TO_END = "window.scrollTo(0, document.documentElement.scrollHeight)"
_TO_ELEMENT = "arguments[0].scrollIntoView({block: 'center'})"
_BY_TEXT = frozenset({"press", "select"})
_LONGEST_SHOWN = 80
_CLICK_TIMES_S = 1.0
"""So long a further click of the same action waits for its element, as there may be none."""


class _MissingError(Exception):
    """The element of an action did not come in time; `why` is what the driver said last."""


class _NoOptionError(NoSuchElementException):
    """A list does not have the option that is wanted, or not yet."""


class PageActions:
    """Performs the actions of the definitions on a page in the browser.

    Args:
        folder: the folder of screenshots.
    """

    def __init__(self, driver: WebDriver, waiting: PageWait, folder: Path) -> None:
        self._driver = driver
        self._waiting = waiting
        self._folder = folder
        self._url = ""

    def run(self, actions: tuple[ActionDef, ...], url: str, timeout_ms: int, ends: float) -> None:
        """Perform all actions in order, and return from any frame to the page.

        Args:
            url: address of the visit.
            timeout_ms: timeout of an action that has none of its own.
            ends: when the time of the visit ends, as `time.monotonic()`.
        Raises:
            VisitFailedError: an action cannot be performed.
        """
        self._url = url
        for action in actions:
            own_s = (timeout_ms if action.timeout_ms is None else action.timeout_ms) / 1000
            timeout_s = max(0.0, min(own_s, ends - time.monotonic()))
            try:
                self._do(action, timeout_s, ends)
            except _MissingError as error:
                if not action.optional:
                    raise _failure(
                        action, f"{error} within {timeout_s:g} s", "look at its selector"
                    ) from error
            except InvalidSelectorException as error:
                found = unreadable(str(error.msg))
                raise _failure(action, found.what, found.hint) from error
        if any(action.verb == "frame" for action in actions):
            with_dialogs_dismissed(self._driver, self._driver.switch_to.default_content)

    def _do(self, action: ActionDef, timeout_s: float, ends: float) -> None:
        if action.verb == "click":
            self._click(action, timeout_s, ends)
        elif action.verb == "type":
            self._with_element(action, timeout_s, lambda found: _type(found, action.text))
        elif action.verb == "press":
            self._press(action, timeout_s)
        elif action.verb == "select":
            self._select(action, timeout_s)
        elif action.verb == "hover":
            chain = ActionChains(self._driver)
            self._with_element(action, timeout_s, lambda found: chain.move_to_element(found).perform())
        elif action.verb == "scroll":
            self._scroll(action, timeout_s, ends)
        elif action.verb == "wait":
            self._wait(action, timeout_s)
        elif action.verb == "screenshot":
            self._screenshot(action)
        elif action.verb == "script":
            self._script(action)
        elif action.verb == "frame":
            self._frame(action, timeout_s)
        else:
            self._dialog(action, timeout_s)

    def _with_element(self, action: ActionDef, timeout_s: float, use: Callable[[WebElement], None]) -> None:
        """Use the action's element, once it is there and can be used.

        Raises:
            _MissingError: it is not, in time.
        """
        why = ""

        def attempt() -> None:
            use(self._driver.find_element(By.CSS_SELECTOR, action.selector))

        def is_used() -> bool:
            nonlocal why
            try:
                with_dialogs_dismissed(self._driver, attempt)
            except InvalidSelectorException:
                raise
            except _NOT_YET as error:
                why = _why(error)
                return False
            return True

        if not comes_true(is_used, time.monotonic() + timeout_s):
            raise _MissingError(why)

    def _click(self, action: ActionDef, timeout_s: float, ends: float) -> None:
        self._with_element(action, timeout_s, lambda found: found.click())
        for _ in range(action.most - 1):
            left_s = min(_CLICK_TIMES_S, timeout_s, ends - time.monotonic())
            try:
                self._with_element(action, max(0.0, left_s), lambda found: found.click())
            except _MissingError:
                return

    def _press(self, action: ActionDef, timeout_s: float) -> None:
        name = action.text
        key = name if len(name) == 1 else str(getattr(Keys, _constant(name)))
        if action.selector:
            self._with_element(action, timeout_s, lambda found: found.send_keys(key))
        else:
            with_dialogs_dismissed(self._driver, ActionChains(self._driver).send_keys(key).perform)

    def _select(self, action: ActionDef, timeout_s: float) -> None:
        def choose(found: WebElement) -> None:
            if not self._driver.execute_script(_CHOOSE, found, action.text):
                raise _NoOptionError

        self._with_element(action, timeout_s, choose)

    def _scroll(self, action: ActionDef, timeout_s: float, ends: float) -> None:
        driver = self._driver
        if action.text != "end":
            self._with_element(action, timeout_s, lambda found: driver.execute_script(_TO_ELEMENT, found))
            return
        if action.selector:
            self._new(action)  # what is there already is not new
        for _ in range(action.most):
            with_dialogs_dismissed(driver, lambda: driver.execute_script(_TO_END))
            if not action.selector:
                return
            if not comes_true(lambda: self._new(action) > 0, min(time.monotonic() + timeout_s, ends)):
                return

    def _new(self, action: ActionDef) -> int:
        driver = self._driver
        try:
            return int(with_dialogs_dismissed(driver, lambda: driver.execute_script(_NEW, action.selector)))
        except (InvalidElementStateException, JavascriptException) as error:
            found = unreadable(str(error.msg))
            raise _failure(action, found.what, found.hint) from error

    def _wait(self, action: ActionDef, timeout_s: float) -> None:
        try:
            if self._waiting.until(action.until, timeout_s):
                return
        except VisitFailedError as error:
            raise _failure(action, error.failure.what, error.failure.hint) from error
        raise _failure(action, f"{named(action.until)} did not come within {timeout_s:g} s", "")

    def _screenshot(self, action: ActionDef) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        picture: bytes = with_dialogs_dismissed(self._driver, self._driver.get_screenshot_as_png)
        (self._folder / f"{action.text}-{page_mark(self._url)}.png").write_bytes(picture)

    def _script(self, action: ActionDef) -> None:
        try:
            self._driver.execute_script(action.text)
        except UnexpectedAlertPresentException:
            pass  # the script's own dialog, which the next action may answer
        except JavascriptException as error:
            said = str(error.msg).partition("\n")[0].removeprefix("javascript error: ")
            raise _failure(action, f"the script failed: {said}", "try it in the browser's console") from error

    def _frame(self, action: ActionDef, timeout_s: float) -> None:
        switch = self._driver.switch_to
        if action.selector:
            self._with_element(action, timeout_s, switch.frame)
        else:
            with_dialogs_dismissed(self._driver, switch.default_content)

    def _dialog(self, action: ActionDef, timeout_s: float) -> None:
        def is_answered() -> bool:
            try:
                dialog = self._driver.switch_to.alert
                dialog.accept() if action.text == "accept" else dialog.dismiss()
            except NoAlertPresentException:
                return False
            return True

        if not comes_true(is_answered, time.monotonic() + timeout_s):
            raise _MissingError("no dialog opened")


def page_mark(url: str) -> str:
    """Return the part of file names that stands for a page's address."""
    return sha256(url.encode()).hexdigest()[:12]


def _type(found: WebElement, text: str) -> None:
    found.clear()
    found.send_keys(text)


def _constant(name: str) -> str:
    """The constant of a key: `PageUp` is PAGE_UP."""
    return "".join(f"_{each}" if each.isupper() else each for each in name).strip("_").upper()


def _why(error: Exception) -> str:
    if isinstance(error, _NoOptionError):
        return "its list has no such option"
    if isinstance(error, NoSuchElementException):
        return "no element matches"
    if isinstance(error, ElementClickInterceptedException):
        return "its element is covered by another"
    return "its element is hidden or disabled"


def _failure(action: ActionDef, why: str, hint: str) -> VisitFailedError:
    about = action.text if action.verb in _BY_TEXT else action.selector or named(action.until) or action.text
    cause = f"the action at {action.place} failed: {action.verb} {cut(about, _LONGEST_SHOWN)}"
    return VisitFailedError(
        VisitFailed(f"{cause}: {why}", cause, hint=hint or "look at it in the definitions")
    )
