"""DateNames: the names of months, days and the like in a language; English ones are built in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from scoopi.java.dates.pattern_names import DAYS, ERAS, HALVES, MONTHS

SHORT, FULL, NARROW = "abbreviated", "wide", "narrow"
ENGLISH = "en"
_ORDINALS = ("1st", "2nd", "3rd", "4th")

Styles = Mapping[str, Sequence[str]]
"""Style -> the names in order."""


@dataclass(frozen=True, slots=True)
class DateNames:
    """Names by style; `standalone` ones are those of a name without a day beside it.

    Attributes:
        days: from Monday.
        first_weekday: with which a week begins, from 0 for Monday.
        least_days: so many days of a year make its first week.
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
    """The names of a locale, as `en`, `de` or `pt-BR`.

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
    months, days = _english_styles(MONTHS), _english_styles((*DAYS[1:], DAYS[0]))
    quarters = [f"{ordinal} quarter" for ordinal in _ORDINALS]
    return DateNames(
        months=months,
        standalone_months=months,
        days=days,
        standalone_days=days,
        quarters=MappingProxyType(
            {SHORT: ("Q1", "Q2", "Q3", "Q4"), FULL: quarters, NARROW: ("1", "2", "3", "4")}
        ),
        halves=MappingProxyType({SHORT: HALVES}),
        eras=MappingProxyType({SHORT: ERAS, FULL: ("Before Christ", "Anno Domini"), NARROW: ("B", "A")}),
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
