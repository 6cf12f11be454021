"""CompiledSelector: a selector ready to be asked for its elements."""

from __future__ import annotations

from typing import Any, cast

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.css import syntax
from scoopi.parse.css.xpath_writer import NAMESPACE, Scope, XPathWriter

Element = etree._Element


class CompiledSelector:
    """Finds elements in a page, a block or below an element.

    Args:
        selectors: the parsed selector.
        scope: what `select` will be given.
        regex_timeout_ms: limit of one regular expression on one text.
    Raises:
        ParseError: a pattern inside is no regular expression, or the selector is too large.
    """

    def __init__(self, selectors: syntax.Selectors, scope: Scope, regex_timeout_ms: int) -> None:
        def nested(inner: syntax.Selectors, inner_scope: Scope) -> Any:
            return CompiledSelector(inner, inner_scope, regex_timeout_ms).select

        writer = XPathWriter(scope, nested, regex_timeout_ms)
        self.expression = writer.write(selectors)
        self._wants_root = "$root" in self.expression
        try:
            self._xpath = etree.XPath(
                self.expression,
                namespaces={NAMESPACE: NAMESPACE},
                extensions=writer.extensions,
                smart_strings=False,
            )
        except etree.XPathSyntaxError as error:
            raise ParseError(f"the selector is too large: {error}", hint="split it at its commas") from error

    def select(self, root: Element) -> list[Element]:
        """The elements in document order, each once.

        Raises:
            ParseError: a regular expression took too long, or the selector finds too much.
        Source: language, B 3.2.2.
        """
        try:
            variables: dict[str, Any] = {"root": root} if self._wants_root else {}
            found: Any = self._xpath(root, **variables)
        except etree.XPathError as error:
            raise ParseError(f"the selector cannot be evaluated: {error}", hint="write it simpler") from error
        return cast(list[Element], found)
