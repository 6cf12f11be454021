"""PageActions: performs the actions of the definitions on a page in the browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from selenium.common.exceptions import (
    InvalidSelectorException,
    NoAlertPresentException,
    NoSuchWindowException,
    UnexpectedAlertPresentException,
)
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from scoopi.browser.page.action_faults import (
    NOT_YET,
    REFUSED,
    ActionFaults,
    MissingError,
    NoListError,
    NoOptionError,
    UnmetError,
    why,
)
from scoopi.browser.page.page_scroll import PageScroll
from scoopi.browser.page.page_wait import PageWait, VisitFailedError, comes_true, with_dialogs_dismissed
from scoopi.browser.page.page_windows import NEW_WINDOW, PageWindows
from scoopi.browser.page.step_timeout import StepTimeout
from scoopi.browser.page.window_switch import WindowSwitch
from scoopi.browser.pool_messages import Removed, VisitFailed
from scoopi.model.scrape.browser_def import ActionDef

_CHOOSE = """
const [list, wanted] = arguments;
if (!list.options) return null;
const found = [...list.options].find(each => each.text.trim() === wanted || each.value === wanted);
if (!found) return false;
found.selected = true;
for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, {bubbles: true}));
return true;
"""
_TO_ELEMENT = "arguments[0].scrollIntoView({block: 'center'})"
_CLICK_TIMES_S = 1.0
"""Seconds that a further click of the same action waits for its element, as there may be none."""


class PageActions:
    """Performs the actions of the definitions on a page in the browser.

    Args:
        driver: the browser's driver.
        waiting: waits for states of the page.
        limit: limits each action to its time.
        windows: the windows that the page opens.
        folder: the folder of screenshots; created with the first one.

    Attributes:
        removed: the elements that the page removed again while it was scrolled in the last `run`; None if
            there were none.
    """

    def __init__(
        self, driver: WebDriver, waiting: PageWait, limit: StepTimeout, windows: PageWindows, folder: Path
    ) -> None:
        self._driver = driver
        self._windows = windows
        self._switch = WindowSwitch(driver, windows)
        self._scrolling = PageScroll(driver)
        self._waiting = waiting
        self._limit = limit
        self._folder = folder
        self._url = ""
        self._faults: ActionFaults | None = None
        self.removed: Removed | None = None

    def run(self, actions: tuple[ActionDef, ...], url: str, timeout_ms: int, ends: float) -> None:
        """Perform all actions in order, and return from any frame to the page of the current window.

        Args:
            url: address of the visit.
            timeout_ms: timeout of an action that has none of its own.
            ends: when the time of the visit ends, as `time.monotonic()`.
        Raises:
            VisitFailedError: an action cannot be performed.
        """
        self._url, self.removed = url, None
        for number, action in enumerate(actions, 1):
            self._windows.act(action, actions[number:])
            own_s = (timeout_ms if action.timeout_ms is None else action.timeout_ms) / 1000
            timeout_s = max(0.0, min(own_s, ends - time.monotonic()))
            self._faults = faults = ActionFaults(action, timeout_s, is_cut=timeout_s < own_s)
            try:
                self._do(action, timeout_s, ends)
            except MissingError as error:
                if not action.optional:
                    raise self._or_in_window(faults.missing(error)) from error
            except NoSuchWindowException as error:
                if not self._switch.has_closed():
                    raise
                raise faults.closed() from error
            except REFUSED as error:
                raise (faults.late() if self._limit.was_interrupted else faults.refused(error)) from error
            except UnmetError as error:
                raise self._or_in_window(faults.unmet(error)) from error
            except VisitFailedError as error:
                raise faults.same(error) from error
            finally:
                self._faults = None
                self._limit.end()
            if self._limit.was_interrupted:
                raise faults.late()
        if any(action.verb == "frame" for action in actions):
            with_dialogs_dismissed(self._driver, self._driver.switch_to.default_content)

    def late(self) -> VisitFailed | None:
        """Return the failure if the current action does not end; None between actions. For any thread."""
        faults = self._faults
        return None if faults is None else faults.late().failure

    def _or_in_window(self, error: VisitFailedError) -> VisitFailedError:
        return VisitFailedError(self._windows.hinted(error.failure))

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
            self._with_element(action, timeout_s, self._hover)
        elif action.verb == "scroll":
            self._scroll(action, timeout_s, ends)
        elif action.verb == "wait":
            self._wait(action, timeout_s)
        elif action.verb == "screenshot":
            self._screenshot(action)
        elif action.verb == "script":
            self._script(action, timeout_s)
        elif action.verb == "frame":
            self._frame(action, timeout_s)
        elif action.verb == "window":
            self._window(action, timeout_s)
        else:
            self._dialog(action, timeout_s)

    def _with_element(self, action: ActionDef, timeout_s: float, use: Callable[[WebElement], None]) -> None:
        """Use the action's element, once it is there and can be used.

        Raises:
            MissingError: it is not, in time.
        """
        fault = ""
        self._limit.act(timeout_s)

        def attempt() -> None:
            use(self._driver.find_element(By.CSS_SELECTOR, action.selector))

        def is_used() -> bool:
            nonlocal fault
            try:
                with_dialogs_dismissed(self._driver, attempt)
            except InvalidSelectorException:
                raise
            except NOT_YET as error:
                fault = why(error)
                return False
            return True

        if not comes_true(is_used, time.monotonic() + timeout_s):
            raise MissingError(fault)

    def _hover(self, found: WebElement) -> None:
        self._driver.execute_script(_TO_ELEMENT, found)  # Firefox does not scroll by itself
        ActionChains(self._driver).move_to_element(found).perform()

    def _click(self, action: ActionDef, timeout_s: float, ends: float) -> None:
        self._with_element(action, timeout_s, lambda found: found.click())
        for _ in range(action.most - 1):
            left_s = min(_CLICK_TIMES_S, timeout_s, ends - time.monotonic())
            try:
                self._with_element(action, max(0.0, left_s), lambda found: found.click())
            except MissingError:
                return

    def _press(self, action: ActionDef, timeout_s: float) -> None:
        name = action.text
        key = name if len(name) == 1 else str(getattr(Keys, _constant(name)))
        if action.selector:
            self._with_element(action, timeout_s, lambda found: found.send_keys(key))
        else:
            self._limit.act(timeout_s)
            with_dialogs_dismissed(self._driver, ActionChains(self._driver).send_keys(key).perform)

    def _select(self, action: ActionDef, timeout_s: float) -> None:
        def choose(found: WebElement) -> None:
            is_chosen = self._driver.execute_script(_CHOOSE, found, action.text)
            if not is_chosen:
                raise NoListError if is_chosen is None else NoOptionError

        self._with_element(action, timeout_s, choose)

    def _scroll(self, action: ActionDef, timeout_s: float, ends: float) -> None:
        driver = self._driver
        if action.text != "end":
            self._with_element(action, timeout_s, lambda found: driver.execute_script(_TO_ELEMENT, found))
            return
        if action.selector:
            self._scrolling.new(action.selector)  # what is there already is not new
        for _ in range(action.most):
            self._limit.act(timeout_s)
            self._scrolling.to_end(action.selector)
            ends_s = min(time.monotonic() + timeout_s, ends)
            if not action.selector or not self._scrolling.brings_new(action.selector, ends_s):
                break
        number = self._scrolling.removed(action.selector) if action.selector else 0
        if number:
            self.removed = Removed(str(action.place), action.selector, number)

    def _wait(self, action: ActionDef, timeout_s: float) -> None:
        self._limit.act(timeout_s)
        if not self._waiting.until(action.until, timeout_s):
            raise UnmetError(self._waiting.lacking(action.until))

    def _screenshot(self, action: ActionDef) -> None:
        picture: bytes = with_dialogs_dismissed(self._driver, self._driver.get_screenshot_as_png)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / f"{action.text}-{page_mark(self._url)}.png").write_bytes(picture)
        except OSError as error:
            cause = f"a screenshot cannot be written: {error.strerror}"
            what = f"{cause} ({error.filename or self._folder})"
            raise VisitFailedError(
                VisitFailed(what, cause, hint="free some space or fix the folder")
            ) from error

    def _script(self, action: ActionDef, timeout_s: float) -> None:
        self._limit.act(timeout_s)
        with suppress(
            UnexpectedAlertPresentException
        ):  # the script's own dialog; the next action may answer it
            self._driver.execute_script(action.text)

    def _frame(self, action: ActionDef, timeout_s: float) -> None:
        driver, switch = self._driver, self._driver.switch_to
        if action.selector:

            def enter(found: WebElement) -> None:
                driver.execute_script(_TO_ELEMENT, found)  # Firefox cannot click in a frame out of view
                switch.frame(found)

            self._with_element(action, timeout_s, enter)
        else:
            with_dialogs_dismissed(self._driver, switch.default_content)

    def _window(self, action: ActionDef, timeout_s: float) -> None:
        self._limit.act(timeout_s)
        if action.text == NEW_WINDOW:
            self._switch.to_new(timeout_s)
        else:
            self._switch.to_main()

    def _dialog(self, action: ActionDef, timeout_s: float) -> None:
        def is_answered() -> bool:
            try:
                dialog = self._driver.switch_to.alert
                dialog.accept() if action.text == "accept" else dialog.dismiss()
            except NoAlertPresentException:
                return False
            return True

        self._limit.act(timeout_s)
        if not comes_true(is_answered, time.monotonic() + timeout_s):
            raise MissingError("no dialog opened")


def page_mark(url: str) -> str:
    """Return 12 hexadecimal digits that stand for a page's address in the names of its files."""
    return sha256(url.encode()).hexdigest()[:12]


def _type(found: WebElement, text: str) -> None:
    found.clear()
    found.send_keys(text)


def _constant(name: str) -> str:
    """The constant of a key: `PageUp` is PAGE_UP."""
    return "".join(f"_{each}" if each.isupper() else each for each in name).strip("_").upper()
