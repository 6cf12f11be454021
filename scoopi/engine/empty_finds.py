"""EmptyFinds: which data definitions found no row, and which axes never had a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place
from scoopi.model.report.finds import MET, PAGES, PREFIX, ROWS, axes_read, count_name


class EmptyFinds:
    """Reads the node's counters, which cover what this process has read.

    Args:
        whose: follows the number of pages, and says which they are; empty for all of the run.
    """

    def __init__(self, data_defs: Mapping[str, DataDef], counts: NodeCounts, whose: str = "") -> None:
        self._data_defs = data_defs
        self._counts = counts
        self._whose = whose

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each; definitions that have read no page have none."""
        return tuple(
            sentence for data_def in self._data_defs.values() for sentence in self._sentences_of(data_def)
        )

    def _sentences_of(self, data_def: DataDef) -> Iterator[str]:
        name = data_def.name
        pages, rows = self._count(PAGES, name), self._count(ROWS, name)
        if not pages:
            return
        where = f"{pages:,} page{'' if pages == 1 else 's'}{self._whose}"
        if not rows:
            yield f"dataDef {name}: no row on {where}{_where_rows_end(data_def)}"
            return
        read = axes_read(data_def)
        unmet = [axis for axis in read if not self._count(MET, name, axis)]
        in_rows = "its only row" if rows == 1 else f"all {rows:,} rows"
        if len(unmet) == len(read) > 1:
            at = _at(data_def.block_place)
            yield f"dataDef {name}: without any value in {in_rows} of {where}; is its block there?{at}"
            return
        for kind, entry in unmet:
            shown = kind if kind == entry else f"{kind} {entry}"
            yield f"{shown} of {name}: without a value in {in_rows} of {where}{_at(read[kind, entry])}"

    def _count(self, kind: str, data_def: str, axis: tuple[str, str] = ("", "")) -> int:
        return int(self._counts.value(PREFIX + count_name(kind, data_def, axis)))


def _where_rows_end(data_def: DataDef) -> str:
    """The axes whose missing value ends a page's rows before the first one."""
    entries = [("item", each) for each in data_def.items] + [("dim", each) for each in data_def.dims]
    ends = " and ".join(
        f"{kind} {entry.name}{_at(entry.selector_place if entry.selector is not None else entry.place)}"
        for kind, entry in entries
        if entry.value is None and entry.match is None and (entry.last is None or entry.break_after)
    )
    return f"; does its block{_at(data_def.block_place)} hold {ends}?" if ends else _at(data_def.place)


def _at(place: Place) -> str:
    return f" ({place})" if str(place) else ""
