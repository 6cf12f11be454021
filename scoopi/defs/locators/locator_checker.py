"""LocatorChecker: reports placeholders of locators that have no value, and invalid values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from functools import partial
from math import prod

from scoopi.defs.locators.listed_pages import has_misspelt_source
from scoopi.defs.locators.row_checker import FROM, RowChecker
from scoopi.defs.locators.row_file import LINE_COLUMN, RowFile, RowFileError
from scoopi.defs.locators.source_reader import is_from_misspelt, read_row_source
from scoopi.defs.locators.values_builder import read_values
from scoopi.defs.scrape.checkers import Checkers, Fault, Find
from scoopi.defs.scrape.language import LOCATOR
from scoopi.defs.yaml.entries import Entries
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.text.locator_values import LocatorValues
from scoopi.model.text.text_template import placeholder_names, unclosed

VALUES = "values"
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
    if group is not None and (FROM in group.entries or has_misspelt_source(group)):
        return None  # an error that is reported elsewhere
    listing = None if group is None else group.entries.get("locators")
    entries = listing.entries if isinstance(listing, Listing) else ()
    names: set[str] = set()
    for each in entries:
        if isinstance(each, Table):
            if is_from_misspelt(each.names(), LOCATOR.names):
                return None
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
    """Whether each entry surely is one page: it has only a name and a URL, without placeholders."""
    return isinstance(entries, Entries) and entries.names() <= _PAGE and not entries.may_hold("%{")


def texts_of(entry: Table) -> Iterator[str]:
    """Iterate over all texts of a locator in which placeholders are replaced."""
    return (text.text for _, text in _texts(entry, ""))


class LocatorChecker:
    """Reports placeholders of locators that have no value, and invalid values.

    Args:
        today: the date that `today` stands for in a range.
    """

    def __init__(self, findings: Findings, today: date, checkers: Checkers) -> None:
        self._findings = findings
        self._today = today
        self._rows = RowChecker(findings, checkers.find, checkers.url, partial(values_of, today=today))

    def check(self, entry: Table, key: str) -> None:
        """Check one entry of `locators`; `key` is the path to it."""
        table = entry.table(VALUES) if VALUES in entry.names() else None
        known = list(table.entries) if table is not None else []
        rows = 1
        if FROM in entry.names():
            counted = self._rows.check(entry, f"{key}.{FROM}", known, texts_of(entry))
            if counted is None:
                return
            rows = counted
        elif is_from_misspelt(entry.names(), LOCATOR.names) or (
            not known and not any("%{" in (entry.text(name) or "") for name in ("name", "url"))
        ):
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
