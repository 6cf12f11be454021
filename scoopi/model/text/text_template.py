"""TextTemplate: a text of the definitions whose placeholders are filled with values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote, quote_plus

PLACEHOLDER = re.compile(r"(%?)%\{([^{}]*)\}")
"""`%{name}`; the first group is not empty if a doubled `%` escapes it."""
_UNCLOSED = re.compile(r"(?<!%)%\{[\w.]*")
_OF_PATHS = "/:@!$&'()*+,;="
"""The characters that are not escaped in the path of an address (RFC 3986, 3.3)."""


def placeholders(text: str) -> list[str]:
    """Return the names in `%{…}`, in order.

    >>> placeholders("%{page.url}#%{record.index} %%{no}")
    ['page.url', 'record.index']
    """
    return [name for escape, name in PLACEHOLDER.findall(text) if not escape]


def placeholder_names(text: str) -> list[str]:
    """Return the names in `%{…}` of a locator, in order; blanks around a name are ignored.

    >>> placeholder_names("http://a/%{shop}/%{ n }?q=100%%{x}")
    ['shop', 'n']
    """
    return [name.strip() for name in placeholders(text)]


def unclosed(text: str) -> str:
    """Return the first placeholder that does not end, as far as its name; empty if there is none.

    >>> unclosed("http://a/%{n/b?x=%{y}"), unclosed("%%{n %{y}")
    ('%{n', '')
    """
    found = _UNCLOSED.search(PLACEHOLDER.sub("", text))
    return found[0] if found else ""


def unescaped(text: str) -> str:
    """Return a text without placeholders, with `%%{` replaced by `%{`."""
    return text.replace("%%{", "%{")


class TextTemplate:
    """A text whose placeholders are filled with values.

    Args:
        write: returns the text that a value is filled in as, given the value and the fixed text before it.
    """

    def __init__(self, text: str, write: Callable[[str, str], str] = lambda value, before: value) -> None:
        self._write = write
        self._parts: list[tuple[str, str, str]] = []
        """Of each placeholder: the fixed text since the last one, all fixed text before it, and its name."""
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
        """Return the text with these values; a name without a value is replaced by nothing."""
        write = self._write
        return (
            "".join([fixed + write(values.get(name, ""), before) for fixed, before, name in self._parts])
            + self._rest
        )


def address_template(url: str) -> TextTemplate:
    """Return a template of an address: values are percent-encoded as needed in the path or the query.

    A value at the beginning or in the host is not encoded, nor is one in the path of a file.

    >>> address_template("http://a/%{x}?q=%{x}").filled({"x": "b c/&"})
    'http://a/b%20c/&?q=b+c%2F%26'
    """
    return TextTemplate(url, _in_address if url.lower().startswith(("http:", "https:", "%{")) else _as_it_is)


def json_template(text: str, numbers: Iterable[str]) -> TextTemplate:
    """Return a template of a JSON document: values are filled in as strings.

    Args:
        numbers: the names of placeholders for numbers; a string that is just such a placeholder becomes a
            number.
    """
    for name in numbers:
        text = text.replace(f'"%{{{name}}}"', f"%{{{name}}}")
    return TextTemplate(text, lambda value, before: json.dumps(value, ensure_ascii=False)[1:-1])


def _as_it_is(value: str, before: str) -> str:
    return value


def _in_address(value: str, before: str) -> str:
    if value.isalnum() and value.isascii():
        return value  # most values are numbers, which need no encoding
    if "?" in before or "#" in before:
        return quote_plus(value)
    if not before or ("://" in before and "/" not in before.partition("://")[2]):
        return value
    return quote(value, safe=_OF_PATHS)
