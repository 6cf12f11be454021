"""ZonedPattern reads and writes what java.time's DateTimeFormatter does; the table was printed by Java 17."""

from __future__ import annotations

import re
import sys
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from scoopi.java.dates.date_names import date_names
from scoopi.java.dates.zoned_pattern import ZonedPattern
from scoopi.java.dates.zoned_pattern_writer import Moment

TABLE = Path(__file__).with_name("test_zoned_pattern_table.tsv").read_text(encoding="utf-8")
ROWS = [line.split("\t") for line in TABLE.split("\n")[1:] if line]
PATTERNS = sorted({(locale, pattern) for call, locale, pattern, *_ in ROWS if call == "format"})
REFUSED = "<no>"
_SHOWN = re.compile(r"(.{10}T\d\d:\d\d)(:\d\d)?(?:\.(\d+))?(Z|[+-]\d\d:\d\d)(?:\[(.*)\])?")


def moment(shown: str) -> Moment:
    """The moment as ZonedDateTime.toString shows it."""
    found = _SHOWN.fullmatch(shown)
    assert found is not None, shown
    minutes, seconds, fraction, offset, region = found.groups()
    zone: tzinfo = timezone(timedelta())
    if region:
        zone = ZoneInfo(region)
    elif offset != "Z":
        zone = timezone(
            (-1 if offset[0] == "-" else 1) * timedelta(hours=int(offset[1:3]), minutes=int(offset[4:]))
        )
    wall = datetime.fromisoformat(minutes + (seconds or ":00")).replace(tzinfo=zone)
    return Moment(wall, int((fraction or "").ljust(9, "0")), region or "")


@pytest.mark.parametrize(("locale", "pattern"), PATTERNS)
def test_a_moment_is_written_as_java_writes_it(locale: str, pattern: str) -> None:
    rows = [row[3:] for row in ROWS if row[:3] == ["format", locale, pattern]]
    assert len(rows) == 8
    for given, result in rows:
        try:
            written = ZonedPattern(pattern, locale).format(moment(given))
        except ValueError:
            written = REFUSED
        assert written == result, given


@pytest.mark.parametrize(
    ("locale", "pattern", "text", "result"), [row[1:] for row in ROWS if row[0] == "parse"]
)
def test_a_text_is_read_as_java_reads_it(locale: str, pattern: str, text: str, result: str) -> None:
    if result == REFUSED:
        with pytest.raises(ValueError):  # noqa: PT011
            ZonedPattern(pattern, locale).parse(text)
    else:
        read = ZonedPattern(pattern, locale).parse(text)
        assert read == moment(result)
        assert read.wall.utcoffset() == moment(result).wall.utcoffset()


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("yyyy b", "b is not a letter of a date pattern"),
        ("yyyy 'at", "quote of the date pattern is not closed"),
        ("yyyy [MM", r"a \[ of the date pattern is not closed"),
        ("yyyy MM]", "unmatched ]"),
        ("ddd", "ddd is not a field"),
        ("yyyy {MM}", "{ is reserved"),
        ("yyyy pp", "p pads nothing"),
        ("pp-dd", "p pads the field after it"),
        ("V", "V is not a field"),
        ("OO", "O or OOOO"),
    ],
)
def test_a_wrong_pattern_is_an_error(pattern: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        ZonedPattern(pattern)


def test_a_locale_needs_babel_and_has_to_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="'xx' is not a known locale"):
        ZonedPattern("yyyy", "xx")
    monkeypatch.setitem(sys.modules, "babel", None)
    date_names.cache_clear()
    with pytest.raises(ValueError, match=r"the locale 'it' needs babel: pip install 'scoopi\[locale\]'"):
        ZonedPattern("yyyy", "it")
    assert ZonedPattern("MMM X", "en").format(moment("2021-01-02T00:00Z")) == "Jan Z"


def test_a_locale_with_a_region_has_the_weeks_of_the_region() -> None:
    assert ZonedPattern("YYYY w e", "de-DE").format(moment("2021-01-03T00:00Z")) == "2020 53 7"
    assert ZonedPattern("YYYY w e", "en").format(moment("2021-01-03T00:00Z")) == "2021 2 1"
