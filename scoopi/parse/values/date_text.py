"""DateText: reads dates and date-times as pages write them, by patterns or with dateparser."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scoopi.errors import ConvertError

LIBRARY, EXTRA = "dateparser", "dates"
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_LONGEST = 200
"""Longest text, in characters, that can be a date; the library is slow on long texts."""

ParseDate = Callable[[str, datetime], datetime]
"""(text, the time that `yesterday` and the like are relative to) -> the moment. Raises ValueError."""


class DateText:
    """Reads dates and date-times of one field as pages write them, by patterns or with dateparser.

    Args:
        formats: patterns, tried in order: strptime directives (with `%`) or the letters of Java's
            SimpleDateFormat. If there are none, ISO 8601 and everything that dateparser reads.
        languages: languages that dateparser tries; empty for all. The first one is also that of the names in
            Java's patterns, by default English.
        zone: time zone of texts without one; None leaves them without.
        with_time: return a date-time, not a date.
    Raises:
        ValueError: a pattern is invalid, or Java's patterns have no names in the first language.
    """

    def __init__(
        self, formats: Sequence[str], languages: Sequence[str], zone: tzinfo | None, *, with_time: bool
    ) -> None:
        locale = languages[0] if languages else "en"
        self._parsers: list[ParseDate] = [_by_format(each, locale) for each in formats]
        if not formats:
            self._parsers = [_by_iso, _ByLibrary(languages)]
        self._zone = zone
        self._with_time = with_time

    def read(self, text: str, now: datetime) -> str:
        """The date in ISO 8601: `2026-03-01`, with time `2026-03-01T08:00:00+01:00`.

        Args:
            now: when the page was loaded, zone-aware; `yesterday` is the day before.
        Raises:
            ConvertError: the text is not a date of these patterns or languages.
        """
        text = " ".join(text.split())
        if len(text) <= _LONGEST:
            for parse in self._parsers:
                try:
                    return self._written(parse(text, now))
                except (ValueError, OverflowError):
                    continue
        raise ConvertError(f"{text[:_LONGEST]!r} is not a date that is known here")

    def _written(self, moment: datetime) -> str:
        if not self._with_time:
            return moment.date().isoformat()
        if moment.tzinfo is None and self._zone is not None:
            moment = moment.replace(tzinfo=self._zone)
        return moment.isoformat(timespec="seconds")


def zone_of(name: str) -> tzinfo:
    """A time zone by its name, such as `Europe/Berlin`.

    Raises:
        ValueError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        raise ValueError(f"there is no time zone {name!r}") from None


def _by_iso(text: str, now: datetime) -> datetime:
    if not _ISO.fullmatch(text):
        raise ValueError(text)
    return datetime.fromisoformat(text)


def _by_format(pattern: str, locale: str) -> ParseDate:
    if "%" in pattern:
        datetime.now().strftime(pattern)  # noqa: DTZ005 - raises for some wrong directives
        _ensure_directives(pattern)
        return lambda text, _now: datetime.strptime(text, pattern)  # noqa: DTZ007 - the zone may be added later
    from scoopi.java.dates.date_pattern import DatePattern

    known = DatePattern(pattern, locale)

    def parse(text: str, now: datetime) -> datetime:
        moment = known.parse(text, now=now, keep_zone=True)
        return moment if known.has_zone else moment.replace(tzinfo=None)

    return parse


def _ensure_directives(pattern: str) -> None:
    """Raises ValueError for a directive that strptime does not know."""
    try:
        datetime.strptime("", pattern)  # noqa: DTZ007
    except ValueError as error:
        if "does not match" not in str(error):
            raise


class _ByLibrary:
    """Reads dates with dateparser, which is imported with the first text."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._languages = list(languages) or None
        self._parser: Any = None
        self._now: datetime | None = None

    def __call__(self, text: str, now: datetime) -> datetime:
        if self._parser is None or now != self._now:
            from dateparser.date import DateDataParser

            settings = {"RELATIVE_BASE": now.replace(tzinfo=None)}
            self._parser, self._now = DateDataParser(languages=self._languages, settings=settings), now
        found: datetime | None = self._parser.get_date_data(text).date_obj
        if found is None:
            raise ValueError(text)
        return found
