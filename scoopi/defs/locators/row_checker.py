"""RowChecker: reports what is wrong with the source of a locator's rows, and with the addresses they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from scoopi.defs.locators.row_file import RowFile, RowFileError
from scoopi.defs.locators.row_source import RowSource
from scoopi.defs.locators.source_reader import (
    DATABASE,
    RUN,
    is_reported_elsewhere,
    names_missing_input,
    read_row_source,
)
from scoopi.defs.scrape.checkers import Fault, Find
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table
from scoopi.model.place import NOWHERE, Place
from scoopi.model.text.locator_values import LocatorValues, RowValues
from scoopi.model.text.shown import shown
from scoopi.model.text.text_template import address_template, placeholder_names

FROM = "from"
MOST_WRONG = 10
"""The most wrong addresses reported per source; if its column is misnamed, all of them are wrong."""


class RowChecker:
    """Reports what is wrong with the source of a locator's rows, and with the addresses they give.

    Args:
        find: opens the rows of a source.
        url: checks an address.
        values: reads the values of a locator's other placeholders.
    """

    def __init__(
        self,
        findings: Findings,
        find: Find,
        url: Callable[[str], Fault | None],
        values: Callable[[Table], Sequence[LocatorValues]],
    ) -> None:
        self._findings = findings
        self._find = find
        self._url = url
        self._values = values

    def check(self, entry: Table, key: str, known: list[str], texts: Iterable[str]) -> int | None:
        """Check the rows of a locator, and append the names of their columns to `known`.

        Args:
            key: the path to the locator's key `from`.
            known: the names of the locator's values.
            texts: the texts of the locator, with placeholders.

        Returns:
            The number of rows; None if they cannot be read.
        """
        source = self._source(entry, key)
        if source is None:
            return None
        file, place = self._find(source), _place(entry, source)
        if isinstance(file, Fault):
            self._findings.error(place, key, file.what, file.hint)
            return None
        try:
            columns = file.columns()
            count = self._check_rows(entry, key, source, file)
        except RowFileError as fault:
            if fault.line:
                at = Place(file.name, fault.line, fault.column)
                self._findings.error(at, key, fault.what, fault.hint, also=place)
            else:
                self._findings.error(place, key, f"{file.name}: {fault.what}", fault.hint)
            return None
        if both := next((name for name in columns if name in known), None):
            what = f"{both} has values, but {source.name} has a column of that name, too"
            self._findings.error(place, key, what, "give one of them another name")
        named = [name for text in texts for name in placeholder_names(text)]
        if not any(name in columns for name in named) and all(name in known for name in named):
            what = f"no placeholder stands for a column of {source.name}"
            self._findings.error(place, key, what, f"write %{{{columns[0]}}} in the address")
        if not count:
            self._findings.warning(place, key, f"{source.name} has no rows", "is it the right one?")
        known += columns
        return count

    def _source(self, entry: Table, key: str) -> RowSource | None:
        """Where the rows come from; None if that is wrong, which is then reported."""
        node = entry.entries.get(FROM)
        if names_missing_input(node):
            return None  # reported at its place
        source = read_row_source(node)
        if not isinstance(source, Fault):
            return None if is_reported_elsewhere(node) else source
        if source.is_secret and isinstance(node, Table):
            self._findings.hide(node.text(DATABASE) or "")
        if source.is_secret or not is_reported_elsewhere(node):
            self._findings.error(entry.at(FROM), key, source.what, source.hint)
        return None

    def _check_rows(self, entry: Table, key: str, source: RowSource, file: RowFile) -> int:
        """Return the number of rows, and report those whose page can have no address.

        It is a warning if other rows have one, as each costs only its own page.

        Raises:
            RowFileError: a row cannot be read.
        """
        count, number, wrong = 0, 0, list[tuple[Place, str, str]]()
        at_group = _place(entry, source)
        for count, (line, address) in enumerate(self._addresses(entry, file), 1):
            if address is None or (fault := self._url(address)) is None:
                continue
            number += 1
            if number <= MOST_WRONG:
                what = f"{shown(address) or 'the row'}: {fault.what}"
                if source.file:
                    wrong.append((Place(file.name, line, 1), what, fault.hint))
                else:
                    wrong.append((at_group, f"row {count} of {source.name}: {what}", fault.hint))
        report = self._findings.error if number == count else self._findings.warning
        for rank, (place, what, hint) in enumerate(wrong, 1):
            more = f" (and {number - rank:,} further rows)" if rank == MOST_WRONG < number else ""
            report(place, key, what + more, hint, also=NOWHERE if place == at_group else at_group)
        return count

    def _addresses(self, entry: Table, file: RowFile) -> Iterator[tuple[int, str | None]]:
        """The line and the address of each row, with the first of further values; None if a value is missing.

        Raises:
            RowFileError: a row cannot be read.
        """
        columns, written = file.columns(), entry.text("url") or ""
        others = [each for each in self._values(entry) if not isinstance(each, RowValues)]
        first = {each.name: next(iter(each.texts())) for each in others}
        is_known = {*placeholder_names(written)} <= {*columns, *first}
        url = address_template(written)
        for line, row in file.numbered_rows():
            given = {**first, **dict(zip(columns, row, strict=True))}
            yield line, url.filled(given) if is_known else None


def _place(entry: Table, source: RowSource) -> Place:
    """Where faults of a source are reported: at the file, the database or the run."""
    table = entry.table(FROM)
    return entry.at(FROM) if table is None else table.at(DATABASE if source.query else RUN)
