"""compile_data, compile_items: compile JMESPath expressions to queries of JSON values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scoopi.errors import ParseError

JsonValue = Any
"""A JSON value."""


def compile_data(expressions: Sequence[str], *, is_list: bool) -> Callable[[JsonValue], Sequence[JsonValue]]:
    """Compile the expressions of a field; the first one that finds anything gives its values.

    If an expression finds nothing in a list, such as the items of JSON-LD, it is applied to each item in
    turn.

    Args:
        is_list: whether all values of a list are returned, or the list as one value.
    Raises:
        ParseError: an expression is wrong; names the character. The query raises it if it fails on a page.
    """
    queries = [_compiled(each) for each in expressions]

    def find(context: JsonValue) -> Sequence[JsonValue]:
        for query in queries:
            found = query(context)
            if found is None and isinstance(context, list):
                found = next((each for item in context if (each := query(item)) is not None), None)
            if found is None or found == []:
                continue
            return found if isinstance(found, list) and is_list else (found,)
        return ()

    return find


def compile_items(expression: str) -> Callable[[JsonValue], Sequence[JsonValue]]:
    """Compile the expression that finds the values of the records; same errors as `compile_data`."""
    query = _compiled(expression)

    def items(root: JsonValue) -> Sequence[JsonValue]:
        found = query(root)
        if found is None:
            return ()
        return found if isinstance(found, list) else (found,)

    return items


def _compiled(expression: str) -> Callable[[JsonValue], JsonValue]:
    import jmespath  # late: most definitions read HTML
    from jmespath.exceptions import JMESPathError

    try:
        query = jmespath.compile(expression)
    except (JMESPathError, ValueError) as error:
        fault = " ".join(str(error).split("\n")[0].split())
        raise ParseError(
            f"the JMESPath {expression!r} is wrong: {fault}", hint="write it as in offers[0].price"
        ) from None

    def search(context: JsonValue) -> JsonValue:
        try:
            return query.search(context)
        except (JMESPathError, ValueError, TypeError) as error:
            raise ParseError(f"the JMESPath {expression!r} failed: {error}") from None

    return search
