"""FilledActions: fills the placeholders in the definition of how pages are loaded in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from scoopi.model.text.secrets import revealed, variable_of
from scoopi.model.text.text_template import TextTemplate, placeholders

_SPECIAL = re.compile(r"""["'\\]""")
InputValues = Mapping[str, str]


class FilledActions:
    """Fills the placeholders in the definition of how pages are loaded in a browser, for one page at a time.

    In selectors and scripts, values are escaped as inside a quoted string, which they cannot leave. A secret
    that is typed is read from the environment only here, and only if the definitions themselves name it: the
    name of a locator may come from anywhere.

    Args:
        how: the definition, with placeholders.
    """

    def __init__(self, how: BrowserDef) -> None:
        self._how = how
        has_secret = any(map(_is_secret, how.actions))
        self._is_fixed = not has_secret and not any(map(placeholders, _texts(how)))

    def of(self, name: str, url: str) -> BrowserDef:
        """Return the definition with the placeholders filled in for one page.

        Args:
            name: value of `%{locator.name}`.
            url: value of `%{locator.url}`.
        Raises:
            MissingSecretError: an action types a secret whose environment variable is not set.
        """
        if self._is_fixed:
            return self._how
        values = {"locator.name": name, "locator.url": url}
        actions = tuple(_action(each, values) for each in self._how.actions)
        return replace(self._how, actions=actions, until=_until(self._how.until, values))


def _texts(how: BrowserDef) -> list[str]:
    waits = [how.until, *(each.until for each in how.actions)]
    texts = [text for each in how.actions for text in (each.text, each.selector)]
    return texts + [text for each in waits for text in (each.selector, each.gone, each.text)]


def _is_secret(action: ActionDef) -> bool:
    return action.verb == "type" and variable_of(action.text) is not None


def _action(action: ActionDef, values: InputValues) -> ActionDef:
    write = _in_script if action.verb == "script" else _plain
    return replace(
        action,
        text=_secret(action.text) if _is_secret(action) else _filled(action.text, values, write),
        selector=_filled(action.selector, values, _in_selector),
        until=_until(action.until, values),
    )


def _secret(text: str) -> str:
    """The value, without the line break at its end that values from files have."""
    return revealed(text).rstrip("\r\n")


def _until(until: Until, values: InputValues) -> Until:
    return replace(
        until,
        selector=_filled(until.selector, values, _in_selector),
        gone=_filled(until.gone, values, _in_selector),
        text=_filled(until.text, values, _plain),
    )


def _filled(text: str, values: InputValues, write: Callable[[str], str]) -> str:
    return TextTemplate(text, lambda value, before: write(value)).filled(values) if "%{" in text else text


def _plain(value: str) -> str:
    return value


def _in_selector(value: str) -> str:
    escaped = _SPECIAL.sub(lambda found: "\\" + found[0], value)
    return re.sub(r"[\r\n\f]", lambda found: f"\\{ord(found[0]):x} ", escaped)


def _in_script(value: str) -> str:
    return json.dumps(value)[1:-1].replace("'", "\\'").replace("`", "\\`").replace("$", "\\$")
