"""Adds to errors of selectors their place in the definitions, and the selector as written there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from scoopi.errors import ParseError, ScriptError
from scoopi.model.place import Place
from scoopi.model.text.page_text import parts, shown
from scoopi.parse.grid.placeholder_template import PlaceholderTemplate

QueryFault = TypeVar("QueryFault", bound=ParseError | ScriptError)

_QUOTED, _CHARACTER = re.compile(r"'[^']*'"), re.compile(r",? at character \d+")
"""Parts of a message that differ from page to page: the text with its values, and the character."""


@contextmanager
def located(place: Place) -> Iterator[None]:
    """Add a place in the definitions to errors raised inside the `with`."""
    try:
        yield
    except (ParseError, ScriptError) as error:
        raise placed(error, place) from error


def placed(error: QueryFault, place: Place) -> QueryFault:
    """The error with this place in the definitions, unless it already has one."""
    if error.at or not place.line:
        return error
    return type(error)(error.what, at=str(place), hint=error.hint, cause=error.cause)


def as_written(error: ParseError, template: PlaceholderTemplate, used: str) -> ParseError:
    """The error of a selector whose placeholders were filled in, with the selector as written added.

    Its `cause` has only the latter, so that failures of different pages count as the same.

    Args:
        used: the selector with its placeholders filled in.
    """
    written, values, used = template.written, parts(used)[1::2], shown(used)
    if written == used:
        return error
    what, cause = f"selector '{written}' (here '{used}'): {error.what}", _QUOTED.sub("'…'", error.cause)
    cause = f"selector '{written}': {cause}"
    for quoted in quotations(error, used):
        what = error.what.replace(quoted, f"'{written}' (here {quoted})", 1)
        cause = error.cause.replace(quoted, f"'{written}'", 1)
    for value in values:
        cause = cause.replace(f"'{value}'", "'…'").replace(f"'{value.lower()}'", "'…'")
    return ParseError(what, at=error.at, hint=error.hint, cause=_CHARACTER.sub("", cause))


def quotations(error: ParseError, used: str) -> list[str]:
    """The selector `used` in quotes, as the message quotes it; empty if it does not."""
    return [quoted for quoted in (f"'{used}'", repr(used)) if quoted in error.what][:1]
