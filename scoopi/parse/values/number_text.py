"""decimal_of, integer_of: read the number in a text, whatever separators its language uses."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from scoopi.errors import ConvertError

_PLAIN = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_SPACES = "\u0020\u00a0\u2007\u2009\u202f"
_NUMBER = re.compile(
    rf"(?<![\w.,])([+\-\u2212]?)(\d(?:[\d.,'\u2019\u066b\u066c]|[{_SPACES}](?=\d{{3}}(?!\d)))*)"
)
_EXPONENT = re.compile(r"[+-]?\d+(?:\.\d+)?[eE][+-]?\d{1,2}", re.ASCII)
_HAS_EXPONENT = re.compile(r"\d[eE][+-]?\d")
_MOST_DIGITS = 1000
"""No page means a longer number, and Python converts only those of up to 4,300 digits."""
_GROUP_SIGNS = "'\u2019\u066c"
_COMMA_NAMES = """
    af az be bg bs ca cs da de el es et eu fi fr gl hr hu hy id is it ka kk ky lt lv mk mn nb nl nn no pl pt
    ro ru sk sl sq sr sv tr uk uz vi
"""
_POINT_NAMES = "ar bn cy en fa ga he hi ja km ko mr ms mt my ne pa si sw ta te th tl ur zh zu"
_COMMA_LANGUAGES, _POINT_LANGUAGES = frozenset(_COMMA_NAMES.split()), frozenset(_POINT_NAMES.split())
_POINT_REGIONS = frozenset({"de-ch", "de-li", "it-ch", "es-mx", "es-us", "es-pr", "es-gt", "es-sv", "es-hn"})


class Separators(NamedTuple):
    """The decimal separator, and the separator of groups of digits."""

    decimal: str
    group: str


COMMA, POINT = Separators(",", "."), Separators(".", ",")


def separators_of(locale: str) -> Separators:
    """The separators of a locale, such as `de` or `de-CH`.

    Raises:
        ValueError: the language is not known.
    """
    name = locale.lower().replace("_", "-")
    language = name.partition("-")[0]
    if name in _POINT_REGIONS or language in _POINT_LANGUAGES:
        return POINT
    if language in _COMMA_LANGUAGES:
        return COMMA
    raise ValueError(f"the locale {locale!r} is not known")


def decimal_of(text: str, separators: Separators | None = None) -> str:
    """The only number of a text, as an exact decimal such as `1234.50`.

    >>> decimal_of("1.234,50 €"), decimal_of("1,234.50"), decimal_of("-7"), decimal_of("1.234", COMMA)
    ('1234.50', '1234.50', '-7', '1234')

    Args:
        separators: those of the text's language; None to infer them from the text.
    Raises:
        ConvertError: the text holds no number, several, an ambiguous one, or one of over 1,000 digits.
    """
    if (
        separators is None
        and len(text) <= _MOST_DIGITS
        and _PLAIN.fullmatch(text)
        and not _is_ambiguous(text)
    ):
        return text.removeprefix("+")
    sign, digits = _only_number(text)
    known = separators or _inferred(digits, text)
    whole, point, decimals = digits.partition(known.decimal)
    if (decimals and not decimals.isdecimal()) or not _is_grouped(whole, known.group):
        raise ConvertError(f"{text!r} is not a number")
    number = Decimal(f"{sign}{_bare(whole)}{'.' + decimals if point and decimals else ''}")
    return format(number, "f")


def integer_of(text: str, separators: Separators | None = None) -> int:
    """The only number of a text, which must be a whole number.

    >>> integer_of("In stock (22 available)"), integer_of("1.234"), integer_of("12,0 Stück", COMMA)
    (22, 1234, 12)

    Raises:
        ConvertError: as `decimal_of`, or the number has decimals.
    """
    if separators is None and len(text) <= _MOST_DIGITS and text.isdecimal():
        return int(text)
    sign, digits = _only_number(text)
    if separators is None and (_is_grouped(digits, ".") or _is_grouped(digits, ",")):
        return int(f"{sign}{_bare(digits)}")
    number = Decimal(decimal_of(text, separators))
    if number != number.to_integral_value():
        raise ConvertError(f"{text!r} is not a whole number")
    return int(number)


def _only_number(text: str) -> tuple[str, str]:
    """The sign of the number, and its digits with their separators."""
    if _HAS_EXPONENT.search(text):
        if not _EXPONENT.fullmatch(text):
            raise ConvertError(f"{text!r} is not a number")
        text = format(Decimal(text), "f")
    found = list(_NUMBER.finditer(text))
    if len(found) != 1:
        what = "holds no number" if not found else f"holds {len(found)} numbers"
        raise ConvertError(f"{text!r} {what}")
    sign, digits = found[0].groups()
    if len(digits) > _MOST_DIGITS:
        raise ConvertError(f"{_start(text)!r} is a number of more than {_MOST_DIGITS:,} digits")
    return "-" if sign in ("-", "\u2212") else "", digits.rstrip(".,'\u2019")


def _start(text: str) -> str:
    return f"{text[:30]}…"


def _inferred(digits: str, text: str) -> Separators:
    """The separators, inferred from the digits."""
    points, commas = digits.count("."), digits.count(",")
    if "\u066b" in digits:
        return Separators("\u066b", "\u066c")
    if points and commas:
        return COMMA if digits.rindex(",") > digits.rindex(".") else POINT
    if points + commas == 1 and _is_ambiguous(digits):
        point, other = Decimal(digits.replace(",", ".")), digits.replace(",", "").replace(".", "")
        raise ConvertError(f"{text!r} may mean {other} or {point}", hint="give the field a `locale`")
    return COMMA if commas == 1 or points > 1 else POINT


def _is_ambiguous(digits: str) -> bool:
    """Whether the only separator may be either kind, as in `1.234`; not in `0.234`."""
    return re.fullmatch(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", digits) is not None


def _is_grouped(whole: str, group: str) -> bool:
    """Whether the separators of a whole number are at the ends of groups of digits."""
    signs = re.escape(group + _GROUP_SIGNS + _SPACES)
    return re.fullmatch(rf"\d+|[1-9]\d{{0,2}}(?:[{signs}]\d{{2,3}})*[{signs}]\d{{3}}", whole) is not None


def _bare(whole: str) -> str:
    """The digits only, in ASCII."""
    return "".join(str(int(sign)) for sign in whole if sign.isdecimal())
