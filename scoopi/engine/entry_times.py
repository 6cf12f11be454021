"""EntryTimes: which entries of data definitions take the most time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from injector import inject
from msgspec.structs import replace

from scoopi.engine.found_counts import FoundCounts
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place
from scoopi.model.records.record_def import RecordDef
from scoopi.model.report.counter_names import (
    BLOCK,
    EACH,
    ENTRY_TIMES,
    FIELD,
    PAGES,
    PREFIX,
    SEPARATOR,
    TIMED,
    AxisKey,
    count_name,
)
from scoopi.model.report.found_axes import axes_read
from scoopi.model.report.run_counts import EntryTime
from scoopi.model.scrape.definitions import Definitions

MOST_ENTRIES = 5


class EntryTimes(FoundCounts):
    """Names the entries of data definitions that take the most time.

    Their times are measured on some of the pages, and extrapolated to all of them.
    """

    @inject
    def __init__(self, definitions: Definitions, counts: NodeCounts) -> None:
        super().__init__(counts)
        self._definitions = definitions

    def slowest(self) -> tuple[EntryTime, ...]:
        """The entries that took the most time, the slowest first, at most MOST_ENTRIES; none if not timed."""
        grids, records = self._definitions.data_defs.values(), self._definitions.record_defs.values()
        times = [time for each in grids for time in self._times(each.name, _of_grid(each))]
        times += [time for each in records for time in self._times(each.name, _of_records(each))]
        return added(times)

    def _times(self, data_def: str, places: Mapping[AxisKey, Place]) -> Iterator[EntryTime]:
        timed, pages = self._count(TIMED, data_def), self._count(PAGES, data_def)
        prefix = f"{PREFIX}{count_name(ENTRY_TIMES, data_def)}".removesuffix(2 * SEPARATOR) + SEPARATOR
        for counter, spent in self._counts.with_prefix(prefix).items():
            kind, name = counter.split(SEPARATOR)
            at = str(places.get((kind, name), ""))
            yield EntryTime(data_def, f"{kind} {name}".strip(), round(spent * pages / timed, 6), at)


def added(*several: Iterable[EntryTime]) -> tuple[EntryTime, ...]:
    """Add up the seconds of equal entries of several lists; return the MOST_ENTRIES slowest, in order."""
    times: dict[tuple[str, str], EntryTime] = {}
    for each in chain(*several):
        known = times.get((each.data_def, each.entry))
        seconds = each.seconds if known is None else round(known.seconds + each.seconds, 6)
        times[each.data_def, each.entry] = replace(each, seconds=seconds)
    return tuple(sorted(times.values(), key=lambda time: -time.seconds)[:MOST_ENTRIES])


def _of_grid(data_def: DataDef) -> dict[AxisKey, Place]:
    return {BLOCK: data_def.block_place, **axes_read(data_def)}


def _of_records(record_def: RecordDef) -> dict[AxisKey, Place]:
    places: dict[AxisKey, Place] = {(FIELD, field.name): field.read_at for field in record_def.fields}
    return places if record_def.each is None else {EACH: record_def.each.place, **places}
