"""LocatorChecker: reports placeholders of locators that have no value, and invalid values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from math import prod

from scoopi.defs.locators.row_file import LINE_COLUMN, RowFile, RowFileError
from scoopi.defs.locators.source_reader import DATABASE, ROWS_FROM, names_missing_input, read_row_source
from scoopi.defs.locators.values_builder import read_values
from scoopi.defs.scrape.checkers import Fault, Find
from scoopi.defs.yaml.entries import Entries
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.place import Place
from scoopi.model.text.locator_values import LocatorValues
from scoopi.model.text.text_template import placeholder_names, unclosed

VALUES, FROM = "values", "from"
MOST_PAGES = 100_000_000
_PAGE = frozenset({"name", "url"})


def values_of(entry: Table, today: date) -> tuple[LocatorValues, ...]:
    """Read the values of a locator's placeholders; invalid ones, reported by LocatorChecker, are left out."""
    table = entry.table(VALUES) if VALUES in entry.names() else None
    read = (read_values(name, node, today) for name, node in (table.entries.items() if table else ()))
    return tuple(each for each in read if not isinstance(each, Fault))


def names_given(group: Table | None, find: Find) -> set[str] | None:
    """Return the names of the values that a group's locators give to its pages; None if they are unknown.

    Args:
        find: opens the rows of a source.
    """
    if group is not None and FROM in group.entries:
        return None  # an error that is reported elsewhere
    listing = None if group is None else group.entries.get("locators")
    entries = listing.entries if isinstance(listing, Listing) else ()
    names: set[str] = set()
    for each in entries:
        if isinstance(each, Table):
            table = each.table(VALUES) if VALUES in each.names() else None
            names.update(() if table is None else table.entries)
            if FROM in each.names():
                try:
                    rows = rows_of(each, find)
                    names.update(() if rows is None else rows.columns())
                except RowFileError:
                    rows = None
                if rows is None:
                    return None  # reported where the file is checked
    return names


def rows_of(entry: Table, find: Find) -> RowFile | None:
    """Open the rows that list a locator's pages; None if it names no rows, or they cannot be read."""
    source = read_row_source(entry.entries.get(FROM))
    found = source if isinstance(source, Fault) else find(source)
    return None if isinstance(found, Fault) else found


def are_pages(entries: Collection[Node]) -> bool:
    """Whether all tables, which may be very many, are surely the name and the address of one page each."""
    return isinstance(entries, Entries) and entries.names() <= _PAGE and not entries.may_hold("%{")


def texts_of(entry: Table) -> Iterator[str]:
    """All texts of a locator in which placeholders are filled."""
    return (text.text for _, text in _texts(entry, ""))


class LocatorChecker:
    """Reports placeholders of locators that have no value, and invalid values.

    Args:
        today: the date that `today` stands for in a range.
        find: opens the rows of a source.
    """

    def __init__(self, findings: Findings, today: date, find: Find) -> None:
        self._findings = findings
        self._today = today
        self._find = find

    def check(self, entry: Table, key: str) -> None:
        """Check one entry of `locators`; `key` is the path to it."""
        table = entry.table(VALUES) if VALUES in entry.names() else None
        known = list(table.entries) if table is not None else []
        rows = 1
        if FROM in entry.names():
            counted = self._check_rows(entry, key, known)
            if counted is None:
                return
            rows = counted
        elif not known and not any("%{" in (entry.text(name) or "") for name in ("name", "url")):
            return
        for path, text in _texts(entry, key):
            if cut := unclosed(text.text):
                what = f"the placeholder {cut} is not closed"
                self._findings.error(text.place, path, what, "close it with }; %%{ stands for the text %{")
            for name in placeholder_names(text.text):
                if name == LINE_COLUMN and text.place == entry.at(FROM) and name not in known:
                    what = f"the rows have no column {name}, and the group has no url"
                    hint = f'add `url: "https://…/%{{{known[-1]}}}"`; columns are {", ".join(known)}'
                    self._findings.error(text.place, key, what, hint)
                elif name not in known:
                    what = f"%{{{name}}} has no values"
                    hint = f"add `{name or 'n'}: 1-50` beside the url"
                    if known:
                        self._findings.unknown(text.place, path, what, name, known)
                    else:
                        self._findings.error(text.place, path, what, hint)
        if table is not None:
            is_made = entry.keys[VALUES] == table.place  # expansion gives the key the place of its value
            self._check_values(table, key if is_made else f"{key}.{VALUES}", rows)

    def _check_rows(self, entry: Table, key: str, known: list[str]) -> int | None:
        """Return the number of rows of its file, and add its columns to `known`; None if it is unreadable."""
        place, key = entry.at(FROM), f"{key}.{FROM}"
        node = entry.entries.get(FROM)
        if names_missing_input(node):
            return None  # reported at its place
        source = read_row_source(node)
        is_secret = isinstance(source, Fault) and source.is_secret
        is_other = isinstance(node, Table) and node.entries.keys() - ROWS_FROM.names
        if isinstance(node, Listing) or (is_other and not is_secret):
            return None  # the shape checker reports it
        file = source if isinstance(source, Fault) else self._find(source)
        if isinstance(source, Fault) or isinstance(file, Fault):
            fault = file if isinstance(file, Fault) else source
            assert isinstance(fault, Fault)
            if fault.is_secret and isinstance(node, Table):
                self._findings.hide(node.text(DATABASE) or "")
            self._findings.error(place, key, fault.what, fault.hint)
            return None
        try:
            columns, count = file.columns(), sum(1 for _ in file.rows())
        except RowFileError as fault:
            if fault.line:
                at = Place(file.name, fault.line, 1)
                self._findings.error(at, key, fault.what, fault.hint, also=place)
            else:
                self._findings.error(place, key, f"{file.name}: {fault.what}", fault.hint)
            return None
        if both := next((name for name in columns if name in known), None):
            what = f"{both} has values, but {source.name} has a column of that name, too"
            self._findings.error(place, key, what, "give one of them another name")
        named = [name for text in texts_of(entry) for name in placeholder_names(text)]
        if not any(name in columns for name in named) and all(name in known for name in named):
            what = f"no placeholder stands for a column of {source.name}"
            self._findings.error(place, key, what, f"write %{{{columns[0]}}} in the address")
        if not count:
            self._findings.warning(place, key, f"{source.name} has no rows", "is it the right one?")
        known += columns
        return count

    def _check_values(self, table: Table, key: str, rows: int) -> None:
        counts = [rows]
        for name, node in table.entries.items():
            read = read_values(name, node, self._today)
            if isinstance(read, Fault):
                self._findings.error(node.place, f"{key}.{name}", read.what, read.hint)
            else:
                counts.append(read.count)
        if prod(counts) > MOST_PAGES:
            what = f"these are {prod(counts):,} pages, but at most {MOST_PAGES:,} are possible"
            self._findings.error(table.place, key, what, "make several groups, or smaller ranges")


def _texts(node: Node, key: str) -> Iterator[tuple[str, Text]]:
    if isinstance(node, Text):
        yield key, node
    elif isinstance(node, Listing):
        for number, entry in enumerate(node.entries):
            yield from _texts(entry, f"{key}[{number}]")
    else:
        for name, entry in node.entries.items():
            if name not in (VALUES, FROM):
                yield from _texts(entry, f"{key}.{name}")
