"""PageScripts: runs the scripts of one data definition on one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import msgspec

from scoopi.errors import ScriptError
from scoopi.model.data import ScriptRow
from scoopi.model.locator import Document
from scoopi.script.expressions import Expressions, NoExpressionError
from scoopi.script.script_text import script_text

if TYPE_CHECKING:
    from scoopi.script.sandbox import Sandbox  # loaded by its caller when it makes one: most pages need none

HOSTS = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
_FROM_DATE: Final = frozenset({"document.getFromDate()", "document.fromDate"})
_NO_ROW = ScriptRow((), 0, (), ())


class ConfigsView(msgspec.Struct, frozen=True):
    """The settings that scripts see as the object `configs`.

    Attributes:
        settings: the settings that may change rows, except secrets, as text by dotted key.
        run_date_time: the start of the run, zone-aware, in whole seconds.
        format_date: formats a zone-aware date-time by `scoopi.dateTimePattern`.
        cluster: whether the run is a run in a cluster.
    """

    settings: Mapping[str, str]
    run_date_time: datetime
    format_date: Callable[[datetime], str]
    cluster: bool = False

    @property
    def run_date(self) -> datetime:
        """The run's day, at midnight."""
        return self.run_date_time.replace(hour=0, minute=0, second=0, microsecond=0)

    def facts(self) -> dict[str, object]:
        """The values from which `page.js` builds `configs`, ready for JSON."""
        return {
            "settings": dict(self.settings),
            "runDateTime": zoned_facts(self.run_date_time),
            "runDate": zoned_facts(self.run_date),
            "runDateTimeText": self.format_date(self.run_date_time),
            "runDateText": self.format_date(self.run_date),
            "cluster": self.cluster,
        }


class ZonedFacts(TypedDict):
    """A date-time: its local time as if it were UTC (ms since 1970), offset from UTC (ms), and time zone."""

    wall: int
    offset: int
    zone: str


def zoned_facts(moment: datetime) -> ZonedFacts:
    """Return the facts of a zone-aware date-time; the zone's name is empty for a fixed offset."""
    offset = moment.utcoffset() or timedelta()
    wall = moment.replace(tzinfo=UTC)
    return ZonedFacts(
        wall=round(wall.timestamp() * 1000),
        offset=round(offset.total_seconds() * 1000),
        zone=getattr(moment.tzinfo, "key", ""),
    )


class PageScripts:
    """Runs the scripts of one data definition on one page.

    A ScriptRunner for one document and task: called with a script, it returns the result as text.

    The sandbox is created when the first script needs it; its globals persist across rows. A script is
    evaluated once, or once for each row if it reads the row, and its result is cached unless it is null.
    Until the sandbox exists, scripts that are expressions are evaluated without it. Used by one thread.

    Args:
        new_sandbox: creates a sandbox with the given host objects (`HOSTS`).
        expressions: shared by all pages; None to evaluate all scripts in the page's own sandbox.
    Source: defs/README.md, 2.8.
    """

    def __init__(
        self,
        new_sandbox: Callable[[str], Sandbox],
        document: Document,
        configs: ConfigsView,
        expressions: Expressions | None = None,
    ) -> None:
        self._new_sandbox = new_sandbox
        self._expressions = expressions
        self._document = document
        self._configs = configs
        self._sandbox: Sandbox | None = None
        self._results: dict[str | tuple[str, str], str] = {}
        self._read_rows: set[str] = set()

    def __call__(self, text: str, row: ScriptRow = _NO_ROW) -> str | None:
        """The result of the script as text, None for null and undefined.

        Args:
            text: as `PlaceholderTemplate.render` gives it.
            row: seen by the script as `item`, `dim`, `fact` and `axis`.
        Raises:
            ScriptError: the script is invalid, failed, or exceeded a limit; the next call begins with new
                globals.
        """
        if self._sandbox is None and self._expressions is not None:
            try:  # not `suppress`, which takes as long as the call itself
                return self._expressions.of_row(script_text(text), row)
            except NoExpressionError:
                pass
        if text in self._read_rows:
            written = row.as_json()
            key: str | tuple[str, str] = (text, written)
        else:
            written, key = "", text
        known = self._results.get(key)
        if known is not None:
            return known
        # The one script that nearly all definitions have needs no engine as long as no other script has run.
        if self._sandbox is None and text in _FROM_DATE:
            result: str | None = self._configs.format_date(self._document.from_date)
        else:
            written = written or row.as_json()
            result = self.evaluate(text, written)
            if key == text and self._has_read_row():
                self._read_rows.add(text)
                key = (text, written)
        if result is not None:
            self._results[key] = result
        return result

    def evaluate(self, text: str, row: str) -> str | None:
        """Return the result of a script as `__call__` does, without caching it; raises the same errors.

        Args:
            row: the row as JSON; the script sees its entries beside `document` and `configs`.
        """
        if self._sandbox is None and self._expressions is not None:
            with suppress(NoExpressionError):
                return self._expressions.evaluate(script_text(text), row)
        try:
            if self._sandbox is None:
                self._sandbox = self._furnished()
            result = self._sandbox.call("evaluate", script_text(text), row)
        except ScriptError:
            self._sandbox = None
            raise
        return self._formatted(result) if isinstance(result, datetime) else result

    def _has_read_row(self) -> bool:
        """Whether the last script read the row."""
        assert self._sandbox is not None
        return self._sandbox.call("wasRowRead") == "true"

    def _formatted(self, date: datetime) -> str:
        zone = self._configs.run_date_time.tzinfo
        try:
            return self._configs.format_date(
                date.astimezone(zone) if date.tzinfo else date.replace(tzinfo=zone)
            )
        except (ValueError, OverflowError):
            raise ScriptError(f"script returned a date that is out of range: {date}") from None

    def _furnished(self) -> Sandbox:
        sandbox = self._new_sandbox(HOSTS)
        locator = self._document.locator
        page = {
            "name": locator.name,
            "group": locator.group,
            "url": locator.url,
            "fromDate": zoned_facts(self._document.from_date),
        }
        facts = msgspec.json.encode({"document": page, "configs": self._configs.facts()}).decode()
        sandbox.call("furnish", facts)
        return sandbox
