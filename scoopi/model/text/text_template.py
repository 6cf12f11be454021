"""TextTemplate: a text of the definitions with placeholders, which are filled with values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote, quote_plus

PLACEHOLDER = re.compile(r"(%?)%\{([^{}]*)\}")
"""`%{name}`; the first group is not empty where a doubled mark escapes it."""
_OF_PATHS = "/:@!$&'()*+,;="
"""What stands for itself in the path of an address (RFC 3986, 3.3)."""


def placeholders(text: str) -> list[str]:
    """The names in `%{…}`, in order.

    >>> placeholders("%{page.url}#%{record.index} %%{no}")
    ['page.url', 'record.index']
    """
    return [name for escape, name in PLACEHOLDER.findall(text) if not escape]


def placeholder_names(text: str) -> list[str]:
    """The same of a locator, where blanks around a name do not count.

    >>> placeholder_names("http://a/%{shop}/%{ n }?q=100%%{x}")
    ['shop', 'n']
    """
    return [name.strip() for name in placeholders(text)]


def unescaped(text: str) -> str:
    """A text without placeholders as it is meant: `%%{` is `%{`."""
    return text.replace("%%{", "%{")


class TextTemplate:
    """A text whose placeholders are filled with values.

    Args:
        write: how a value is written into it, given the value, and the text before it as far as it is fixed.
    """

    def __init__(self, text: str, write: Callable[[str, str], str] = lambda value, before: value) -> None:
        self._write = write
        self._parts: list[tuple[str, str, str]] = []
        """The fixed text before a placeholder, all fixed text before it, and its name."""
        at, before = 0, ""
        for found in PLACEHOLDER.finditer(text):
            if found[1]:
                continue
            fixed = unescaped(text[at : found.start()])
            before += fixed
            self._parts.append((fixed, before, found[2].strip()))
            at = found.end()
        self._rest = unescaped(text[at:])

    def filled(self, values: Mapping[str, str]) -> str:
        """The text with these values; a name that has none stands for nothing."""
        write = self._write
        return (
            "".join([fixed + write(values.get(name, ""), before) for fixed, before, name in self._parts])
            + self._rest
        )


def address_template(url: str) -> TextTemplate:
    """An address: values are encoded as its path or its query needs it.

    What stands at its beginning or in its host is taken as it is, and so is a value in the path of a file.

    >>> address_template("http://a/%{x}?q=%{x}").filled({"x": "b c/&"})
    'http://a/b%20c/&?q=b+c%2F%26'
    """
    return TextTemplate(url, _in_address if url.lower().startswith(("http:", "https:", "%{")) else _as_it_is)


def json_template(text: str, numbers: Iterable[str]) -> TextTemplate:
    """A JSON document: values are texts in it.

    Args:
        numbers: names of placeholders that stand for numbers; a string that is one of them becomes a number.
    """
    for name in numbers:
        text = text.replace(f'"%{{{name}}}"', f"%{{{name}}}")
    return TextTemplate(text, lambda value, before: json.dumps(value, ensure_ascii=False)[1:-1])


def _as_it_is(value: str, before: str) -> str:
    return value


def _in_address(value: str, before: str) -> str:
    if value.isalnum() and value.isascii():
        return value  # as numbers, which most values are
    if "?" in before or "#" in before:
        return quote_plus(value)
    if not before or ("://" in before and "/" not in before.partition("://")[2]):
        return value
    return quote(value, safe=_OF_PATHS)
