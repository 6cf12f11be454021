"""DateNames: names of months and days in a language, with English built in; ZONES: abbreviated time zones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

SHORT, FULL, NARROW = "abbreviated", "wide", "narrow"
ENGLISH = "en"
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_HALVES = ("AM", "PM")
_ERAS = ("BC", "AD")
ZONES: Mapping[str, int] = MappingProxyType(
    {
        "UTC": 0, "GMT": 0, "UT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "EET": 120,
        "EEST": 180, "MSK": 180, "IST": 330, "HKT": 480, "SGT": 480, "JST": 540, "KST": 540, "AEST": 600,
        "AEDT": 660, "NZST": 720, "NZDT": 780, "AST": -240, "ADT": -180, "EST": -300, "EDT": -240,
        "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540,
        "AKDT": -480, "HST": -600,
    }
)  # fmt: skip
"""Abbreviation -> minutes east of Greenwich."""
_ORDINALS = ("1st", "2nd", "3rd", "4th")

Styles = Mapping[str, Sequence[str]]
"""Style -> names, in order."""


@dataclass(frozen=True, slots=True)
class DateNames:
    """The names of months and days in a language, by style.

    `standalone` names are used without a day next to them.

    Attributes:
        months, standalone_months: from January.
        days, standalone_days: from Monday.
        quarters: from the first one.
        halves: the names of AM and PM.
        eras: the names of BC and AD.
        first_weekday: the first day of a week; 0 is Monday.
        least_days: least number of days of a year in its first week.
    """

    months: Styles
    standalone_months: Styles
    days: Styles
    standalone_days: Styles
    quarters: Styles
    halves: Styles
    eras: Styles
    first_weekday: int = 6
    least_days: int = 1


@cache
def date_names(locale: str) -> DateNames:
    """The names of a locale, such as `en`, `de` or `pt-BR`.

    Raises:
        ValueError: the locale is unknown, or needs babel, which is not installed.
    """
    if locale.lower() == ENGLISH:
        return _english()
    try:
        from babel import Locale, UnknownLocaleError
    except ImportError:
        raise ValueError(f"the locale {locale!r} needs babel: pip install 'scoopi[locale]'") from None
    try:
        known = Locale.parse(locale, sep="-" if "-" in locale else "_")
    except (ValueError, UnknownLocaleError):
        raise ValueError(f"{locale!r} is not a known locale; write it as in de or pt-BR") from None
    return DateNames(
        months=_styles(known.months["format"]),
        standalone_months=_styles(known.months["stand-alone"]),
        days=_styles(known.days["format"]),
        standalone_days=_styles(known.days["stand-alone"]),
        quarters=_styles(known.quarters["format"]),
        halves=_halves(known.day_periods["format"]),
        eras=_styles(known.eras),
        first_weekday=known.first_week_day if known.territory else 6,
        least_days=known.min_week_days if known.territory else 1,
    )


def _english() -> DateNames:
    months, days = _english_styles(_MONTHS), _english_styles((*_DAYS[1:], _DAYS[0]))
    quarters = [f"{ordinal} quarter" for ordinal in _ORDINALS]
    return DateNames(
        months=months,
        standalone_months=months,
        days=days,
        standalone_days=days,
        quarters=MappingProxyType(
            {SHORT: ("Q1", "Q2", "Q3", "Q4"), FULL: quarters, NARROW: ("1", "2", "3", "4")}
        ),
        halves=MappingProxyType({SHORT: _HALVES}),
        eras=MappingProxyType({SHORT: _ERAS, FULL: ("Before Christ", "Anno Domini"), NARROW: ("B", "A")}),
    )


def _english_styles(names: Sequence[str]) -> Styles:
    short = [name[:3] for name in names]
    return MappingProxyType({SHORT: short, FULL: names, NARROW: [name[0] for name in names]})


def _styles(names: Mapping[str, Mapping[int, str]]) -> Styles:
    return MappingProxyType(
        {style: [names[style][key] for key in sorted(names[style])] for style in (SHORT, FULL, NARROW)}
    )


def _halves(names: Mapping[str, Mapping[str, str]]) -> Styles:
    return MappingProxyType({SHORT: [names[SHORT]["am"], names[SHORT]["pm"]]})
