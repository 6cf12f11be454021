"""read: reads a text by the parts of a ZonedPattern into fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from scoopi.java.dates.date_names import FULL, NARROW, SHORT, ZONES, DateNames
from scoopi.java.dates.zoned_pattern_parts import LITERAL, OPTIONAL, PADDED, ZonedPart

Fields = dict[str, int | str]
"""Letter of the pattern -> number; names are numbered from 1. Also `offset` (seconds) and `region` (name)."""

_STYLES: Mapping[int, str] = MappingProxyType({3: SHORT, 4: FULL, 5: NARROW})
_SAME: Mapping[str, str] = MappingProxyType({"L": "M", "q": "Q", "c": "e"})
_NUMBER = re.compile(r"[+-]?[0-9]+")
_MOST_DIGITS = 18
_REGION = re.compile(r"[A-Za-z][A-Za-z0-9~/._+-]+")
_WORD = re.compile(r"[A-Za-z]+")
_GMT = re.compile(r"(?:GMT|UTC)(?:([+-])(\d{1,2})(?::(\d\d)(?::(\d\d))?)?)?", re.ASCII)
_OFFSETS: Mapping[tuple[bool, int], re.Pattern[str]] = MappingProxyType(
    {
        (False, 1): re.compile(r"([+-])(\d\d)(\d\d)?()", re.ASCII),
        (False, 2): re.compile(r"([+-])(\d\d)(\d\d)()", re.ASCII),
        (True, 2): re.compile(r"([+-])(\d\d):(\d\d)()", re.ASCII),
        (False, 3): re.compile(r"([+-])(\d\d)(\d\d)(\d\d)?", re.ASCII),
        (True, 3): re.compile(r"([+-])(\d\d):(\d\d)(?::(\d\d))?", re.ASCII),
    }
)
"""Key: (with colons, 1 for optional minutes, 2 for minutes, 3 for minutes and optional seconds)."""


class _MisfitError(ValueError):
    """The text does not match the current part."""


def read(parts: tuple[ZonedPart, ...], text: str, names: DateNames) -> Fields:
    """Read a text by the parts of a pattern into fields, with the names of its locale.

    Raises:
        ValueError: the text does not match the parts, or is longer.
    """
    fields: Fields = {}
    end = _parts(parts, text, 0, names, fields)
    if end < len(text):
        raise ValueError(f"{text!r} continues after character {end}")
    return fields


def _parts(parts: Sequence[ZonedPart], text: str, index: int, names: DateNames, fields: Fields) -> int:
    for part in parts:
        if part.letter == OPTIONAL:
            known = dict(fields)
            try:
                index = _parts(part.parts, text, index, names, fields)
            except _MisfitError:
                fields.clear()
                fields.update(known)
        elif part.letter == PADDED:
            padded = text[index : index + part.width]
            inner = padded.lstrip(" ")
            if len(padded) < part.width or _parts(part.parts, inner, 0, names, fields) < len(inner):
                raise _MisfitError(f"{text!r} has no padded field at character {index + 1}")
            index += part.width
        elif part.letter == LITERAL:
            if text[index : index + len(part.text)].lower() != part.text.lower():
                raise _MisfitError(f"{text!r} has no {part.text!r} at character {index + 1}")
            index += len(part.text)
        else:
            index = _field(part, text, index, names, fields)
    return index


def _field(part: ZonedPart, text: str, index: int, names: DateNames, fields: Fields) -> int:
    if part.letter in "VzOXxZ":
        return _zone(part, text, index, fields)
    if part.is_number:
        value, end = _number(part, text, index)
    else:
        value, end = _named(part, text, index, names)
    key = _SAME.get(part.letter, part.letter)
    key = "E" if key == "e" and not part.is_number else key
    if fields.get(key, value) != value:
        raise _MisfitError(f"{text!r} has two values of {part.letter}")
    fields[key] = value
    return end


def _number(part: ZonedPart, text: str, index: int) -> tuple[int, int]:
    least, most = part.digits
    found = _NUMBER.match(text, index)
    is_signed = found is not None and found[0][0] in "+-"
    if found is None or (is_signed and part.letter not in "uyY"):
        raise _MisfitError(f"{text!r} has no number at character {index + 1}")
    begin = index + is_signed
    size = min(most, found.end() - begin)
    if least != most:
        size = min(size, max(least, found.end() - begin - part.reserved))
    if size < least or (part.letter in "uyY" and part.width >= 4 and size > part.width and not is_signed):
        raise _MisfitError(f"{text!r} has no number of {part.width} digits at character {index + 1}")
    if size > _MOST_DIGITS:
        raise _MisfitError(f"{text!r} has too many digits at character {index + 1}")
    end = begin + size
    value = int(text[index:end])
    if part.letter in "uyY" and part.width == 2:
        return 2000 + value, end
    return value * 10 ** (9 - part.width) if part.letter == "S" else value, end


def _named(part: ZonedPart, text: str, index: int, names: DateNames) -> tuple[int, int]:
    """The number, from 1, of the longest name that matches, and where the name ends."""
    style = _STYLES.get(part.width, SHORT)
    known = {
        "G": names.eras,
        "M": names.months,
        "L": names.standalone_months,
        "Q": names.quarters,
        "q": names.quarters,
        "c": names.standalone_days,
        "a": names.halves,
    }.get(part.letter, names.days)[style if part.letter != "a" else SHORT]
    rest = text[index:].lower()
    fitting = [(len(name), -at) for at, name in enumerate(known) if rest.startswith(name.lower())]
    if not fitting:
        raise _MisfitError(f"{text!r} has no name of {part.letter * part.width} at character {index + 1}")
    length, at = max(fitting)
    return 1 - at, index + length


def _zone(part: ZonedPart, text: str, index: int, fields: Fields) -> int:
    letter, width = part.letter, part.width
    if letter in "Vz":
        return _named_zone(letter, text, index, fields)
    if letter == "O" or (letter == "Z" and width == 4):
        found = _GMT.match(text, index)
    elif text.startswith("Z", index) and (letter == "X" or (letter == "Z" and width == 5)):
        fields["offset"] = 0
        return index + 1
    else:
        colon = width == 5 or (width == 3 and letter != "Z")
        size = 3 if width >= 4 else 1 if width == 1 and letter != "Z" else 2
        found = _OFFSETS[colon, size].match(text, index)
    if found is None:
        raise _MisfitError(f"{text!r} has no time zone at character {index + 1}")
    fields["offset"] = _seconds(found)
    return found.end()


def _named_zone(letter: str, text: str, index: int, fields: Fields) -> int:
    offset = _OFFSETS[True, 3].match(text, index)
    if offset is not None:
        fields["offset"] = _seconds(offset)
        return offset.end()
    word = _WORD.match(text, index)
    if letter == "z" and word is not None and word[0].upper() in ZONES:
        fields["offset"] = ZONES[word[0].upper()] * 60
        return word.end()
    region = _REGION.match(text, index)
    if region is None:
        raise _MisfitError(f"{text!r} names no time zone at character {index + 1}")
    if region[0] == "Z":
        fields["offset"] = 0
    else:
        fields["region"] = region[0]
    return region.end()


def _seconds(found: re.Match[str]) -> int:
    sign, *digits = found.groups()
    hours, minutes, seconds = (int(each or 0) for each in digits)
    if minutes > 59 or seconds > 59 or hours > 18:
        raise _MisfitError(f"{found[0]!r} is not an offset of a time zone")
    return (-1 if sign == "-" else 1) * (hours * 3600 + minutes * 60 + seconds)
