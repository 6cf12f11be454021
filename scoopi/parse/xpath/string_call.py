"""StringCall: an XPath of string functions around one path, such as `normalize-space(td[2])`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.parse.xpath.xpath_tokens import TokenKind, XPathToken, tokens_of

TextChange = Callable[[str], str]

_BLANKS = " \t\r\n"
_BLANK_RUN = re.compile(f"[{_BLANKS}]+")
_MOST_KNOWN, _LONG = 1000, 200


class StringCall(NamedTuple):
    """An XPath of string functions around one path, such as `normalize-space(td[2])`.

    Attributes:
        path: the path; its first node gives the argument.
        change: text of that node, empty if there is none -> the value.
    """

    path: str
    change: TextChange

    @classmethod
    def of(cls, expression: str) -> StringCall | None:
        """Split an expression; None if it has other functions, or not exactly one path.

        >>> call = StringCall.of("concat('No. ', substring-after(tr[1]/td[2], '#'))")
        >>> call.path, call.change("page #7")
        ('tr[1]/td[2]', 'No. 7')
        >>> StringCall.of("concat(td[1], td[2])"), StringCall.of("td[1]")
        (None, None)
        """
        try:
            tokens = [*tokens_of(expression)]
            if not tokens or tokens[0].kind is not TokenKind.FUNCTION:
                return None
            reader = _Reader(expression, tokens)
            call = reader.call()
        except (ParseError, _OtherError):
            return None
        return call if reader.is_over else None

    @property
    def remembered(self) -> Callable[[str | None], str]:
        """`change` with a cache, as texts repeat within a site; it also takes None, as an empty text."""
        known: dict[str | None, str] = {None: self.change("")}

        def value(text: str | None) -> str:
            found = known.get(text)
            if found is None:
                found = self.change(text or "")
                if len(text or "") <= _LONG:
                    if len(known) >= _MOST_KNOWN:
                        known.clear()
                    known[text] = found
            return found

        return value


class _OtherError(Exception):
    """The expression is not a StringCall."""


class _Reader:
    """Consumes the tokens of an expression; the methods raise _OtherError."""

    def __init__(self, expression: str, tokens: list[XPathToken]) -> None:
        self._expression = expression
        self._tokens = tokens
        self._at = 0

    @property
    def is_over(self) -> bool:
        """Whether all tokens are consumed."""
        return self._at == len(self._tokens)

    def call(self) -> StringCall:
        """A function and its arguments."""
        name = self._take().text
        self._take("(")
        arguments: list[StringCall | str] = [self._argument()]
        while self._take(",", ")").text == ",":
            arguments.append(self._argument())
        calls = [each for each in arguments if isinstance(each, StringCall)]
        if len(calls) != 1:
            raise _OtherError
        inner = calls[0]
        outer = _concatenation(arguments) if name == "concat" else _function(name, arguments)
        return StringCall(inner.path, _both(inner.change, outer))

    def _argument(self) -> StringCall | str:
        token = self._peek()
        if token.kind is TokenKind.LITERAL:
            self._at += 1
            return token.text[1:-1]
        return self.call() if token.kind is TokenKind.FUNCTION else self._path()

    def _path(self) -> StringCall:
        """Everything up to the end of the argument, as written; its syntax is checked when it is compiled."""
        begin, depth = self._peek().at, 0
        while depth or self._peek().text not in (",", ")"):
            if self._peek().kind not in (TokenKind.LITERAL, TokenKind.OPERATOR):
                depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(self._peek().text, 0)
            elif self._peek().kind is TokenKind.OPERATOR and not depth:
                raise _OtherError
            self._at += 1
        path = self._expression[begin : self._peek().at].strip()
        if not path:
            raise _OtherError
        return StringCall(path, _itself)

    def _peek(self) -> XPathToken:
        if self.is_over:
            raise _OtherError
        return self._tokens[self._at]

    def _take(self, *wanted: str) -> XPathToken:
        token = self._peek()
        if wanted and (token.text not in wanted or token.kind is not TokenKind.SYMBOL):
            raise _OtherError
        self._at += 1
        return token


def _itself(text: str) -> str:
    return text


def _both(first: TextChange, second: TextChange) -> TextChange:
    return second if first is _itself else lambda text: second(first(text))


def _concatenation(arguments: list[StringCall | str]) -> TextChange:
    at = next(at for at, each in enumerate(arguments) if isinstance(each, StringCall))
    before = "".join(each for each in arguments[:at] if isinstance(each, str))
    behind = "".join(each for each in arguments[at + 1 :] if isinstance(each, str))
    return lambda text: before + text + behind


def _function(name: str, arguments: list[StringCall | str]) -> TextChange:
    """The function as a change of its first argument, the path."""
    literals = [each for each in arguments[1:] if isinstance(each, str)]
    if len(literals) != len(arguments) - 1:
        raise _OtherError
    match name, literals:
        case "string", []:
            return _itself
        case "normalize-space", []:
            return lambda text: _BLANK_RUN.sub(" ", text.strip(_BLANKS))
        case "lower-case", []:
            return str.lower
        case "substring-after", [mark] if mark:
            return lambda text: text.partition(mark)[2]
        case "substring-before", [mark] if mark:
            return lambda text: text.partition(mark)[0] if mark in text else ""
        case "translate", [letters, others]:
            table = {ord(sign): others[at : at + 1] for at, sign in reversed([*enumerate(letters)])}
            return lambda text: text.translate(table)
    raise _OtherError
