"""Conversion: converts raw texts to the values of a field: regex, replace, map, type, default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any

import msgspec

from scoopi.errors import ConvertError, ParseError
from scoopi.java.regex.java_regex import JavaPattern, compile_java
from scoopi.model.records.record_def import FieldDef
from scoopi.model.records.record_schema import Value
from scoopi.parse.records.page_facts import PageFacts
from scoopi.parse.values.date_text import DateText
from scoopi.parse.values.number_text import Separators, decimal_of, integer_of, separators_of
from scoopi.parse.values.price_text import Price, price_of

Raw = Any
"""A text of a page, or a JSON value of its data: str, int, float, bool, None, list or dict."""
Convert = Callable[[Raw, PageFacts], Value]
"""Raises ConvertError."""

_UNICODE = "(?U)"
"""Flag that makes `\\w` and the like match letters of all languages."""
MOST_KNOWN = 10_000
_TRUE = frozenset({"true", "yes", "on", "y", "1"})
_FALSE = frozenset({"false", "no", "off", "n", "0"})
_SCRIPT_ADDRESS = "javascript:"
_LEAST, _LARGEST = -(2**63), 2**63 - 1


class Conversion:
    """Converts the raw values of one field; caches the values of texts.

    Args:
        field: the definition of the field.
        regex_timeout_ms: time limit of one regular expression on one text.
        zone: time zone of dates without one; None leaves them without.
    Raises:
        ParseError: a pattern, locale, format or default is wrong; names it.
    """

    def __init__(self, field: FieldDef, regex_timeout_ms: int, zone: tzinfo | None = None) -> None:
        self._regex = compile_pattern(field.regex, regex_timeout_ms) if field.regex is not None else None
        self._replace = [
            (compile_pattern(pattern, regex_timeout_ms), text) for pattern, text in field.replace
        ]
        self._map = field.map
        self._is_edited = self._regex is not None or bool(self._replace) or bool(self._map)
        self._type = _converter(field, zone)
        self.is_plain = not self._is_edited and field.type == "text" and not field.is_list
        """Whether a text is used unchanged as the value."""
        self._is_pure = field.type not in ("url", "json", "date", "datetime")
        self._known: dict[str, Value] = {}
        self._default = field.default
        self.is_list = field.is_list

    def value(self, raws: Sequence[Raw], facts: PageFacts, unread: list[ConvertError]) -> Value:
        """The value of a field; None if nothing was found.

        Args:
            raws: the raw values found; only the first counts, unless the field is a list.
            unread: gets an error for each value that cannot be converted, which counts as missing.
        """
        if self.is_list:
            values = (self._one(raw, facts, unread) for raw in raws)
            return [value for value in values if value is not None] or None
        return self._one(raws[0], facts, unread) if raws else None

    def default(self, facts: PageFacts) -> Value:
        """The converted default; None if the field has none.

        Raises:
            ConvertError: it cannot be converted.
        """
        if self._default is None:
            return None
        value = self.typed(self._default, facts)
        return [value] if self.is_list else value

    def typed(self, text: str, facts: PageFacts) -> Value:
        """A text converted to the type of the field, without `regex`, `replace` and `map`.

        Raises:
            ConvertError: it cannot be converted.
        """
        return self._type(text, facts)

    def _one(self, raw: Raw, facts: PageFacts, unread: list[ConvertError]) -> Value:
        if raw is None or (type(raw) is str and not raw.strip()):
            return None
        is_kept = self._is_pure and type(raw) is str
        if is_kept and raw in self._known:
            return self._known[raw]
        try:
            value = self._converted(raw, facts)
        except ConvertError as error:
            unread.append(error)
            return None
        if is_kept:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[raw] = value
        return value

    def _converted(self, raw: Raw, facts: PageFacts) -> Value:
        if self._is_edited:
            edited = self._edited(text_of_raw(raw))
            if edited is None:
                return None
            raw = edited
        return self._type(raw, facts)

    def _edited(self, text: str) -> str | None:
        if self._regex is not None:
            found = self._regex.first(text)
            if found is None:
                return None
            text = found
        for pattern, replacement in self._replace:
            text = pattern.replaced(text, replacement)
        text = text.strip()
        if not text:
            return None
        if self._map:
            known = self._map.get(text)
            if known is None:
                raise ConvertError(f"{text!r} is not in `map`")
            return known
        return text


def text_of_raw(raw: Raw) -> str:
    """A raw value as text; anything that is not a text as JSON."""
    return raw if isinstance(raw, str) else msgspec.json.encode(raw).decode()


def compile_pattern(pattern: str, regex_timeout_ms: int) -> JavaPattern:
    """Compile a Java pattern that matches letters of all languages; raises ParseError."""
    try:
        return compile_java(pattern, timeout_ms=regex_timeout_ms, flags=_UNICODE)
    except ParseError:
        return compile_java(pattern, timeout_ms=regex_timeout_ms)  # its error names the character as written


def separators(field: FieldDef) -> Separators | None:
    """The separators of a field's numbers; None if it has no locale.

    Raises:
        ParseError: the locale is unknown.
    """
    try:
        return separators_of(field.locale) if field.locale is not None else None
    except ValueError as error:
        raise ParseError(str(error), hint="write a language such as de, or en-US") from None


def _converter(field: FieldDef, zone: tzinfo | None) -> Convert:
    marks = separators(field)
    match field.type:
        case "integer":
            return lambda raw, _: _integer(raw, marks)
        case "decimal":
            return lambda raw, _: _decimal(raw, marks)
        case "price":
            return lambda raw, _: _price(raw, marks)
        case "boolean":
            return lambda raw, _: _boolean(raw)
        case "date" | "datetime":
            return read_dates(field, zone, field.formats)
        case "url":
            return _url
        case "json":
            return lambda raw, _: _json(raw)
    return lambda raw, _: text_of_raw(raw)


def _integer(raw: Raw, separators: Separators | None) -> int:
    if isinstance(raw, bool) or (isinstance(raw, float) and not raw.is_integer()):
        raise ConvertError(f"{text_of_raw(raw)} is not a whole number")
    number = int(raw) if isinstance(raw, int | float) else integer_of(text_of_raw(raw), separators)
    if not _LEAST <= number <= _LARGEST:
        raise ConvertError(f"{number} needs more than 64 bits", hint="make the field a decimal, or text")
    return number


def _decimal(raw: Raw, separators: Separators | None) -> str:
    if isinstance(raw, bool):
        raise ConvertError(f"{text_of_raw(raw)} is not a number")
    return decimal_of(text_of_raw(raw), None if isinstance(raw, int | float) else separators)


def _price(raw: Raw, separators: Separators | None) -> Price:
    if isinstance(raw, int | float):
        return Price(_decimal(raw, None), None)
    return price_of(text_of_raw(raw), separators)


def _boolean(raw: Raw) -> bool:
    if isinstance(raw, bool):
        return raw
    text = text_of_raw(raw).strip().lower()
    if text not in _TRUE and text not in _FALSE:
        raise ConvertError(f"{text!r} is neither true nor false", hint="give the field a `map`")
    return text in _TRUE


def read_dates(field: FieldDef, zone: tzinfo | None, formats: Sequence[str]) -> Convert:
    """Compile the formats of a date field to a function that converts its raw values.

    Args:
        zone: time zone of dates without one; None leaves them without.
        formats: patterns, as in DateText.
    Raises:
        ParseError: a format is wrong.
    """
    try:
        reader = DateText(formats, field.languages, zone, with_time=field.type == "datetime")
    except ValueError as error:
        raise ParseError(
            f"the format is wrong: {error}", hint="write it as %d.%m.%Y, or dd.MM.yyyy"
        ) from None
    known: dict[tuple[str, object], str] = {}

    def read(raw: Raw, facts: PageFacts) -> str:
        key = text_of_raw(raw), facts.fetched_at
        if key not in known:
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[key] = reader.read(*key)
        return known[key]

    return read


def _url(raw: Raw, facts: PageFacts) -> str:
    text = text_of_raw(raw).strip()
    if text.lower().startswith(_SCRIPT_ADDRESS):
        raise ConvertError(f"{text!r} is not an address")
    return facts.absolute(text)


def _json(raw: Raw) -> Value:
    value = _parsed(raw) if isinstance(raw, str) else raw
    try:
        msgspec.msgpack.encode(value)
    except OverflowError:
        raise ConvertError(
            "it holds a whole number of more than 64 bits", hint="take its parts as text"
        ) from None
    return value


def _parsed(raw: str) -> Value:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConvertError(f"{raw[:100]!r} is not JSON: {error}") from None
