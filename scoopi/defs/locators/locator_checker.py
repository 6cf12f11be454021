"""LocatorChecker: reports placeholders of locators that nothing gives a value, and wrong values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from math import prod

from scoopi.defs.locators.values_builder import read_values
from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.text.locator_values import LocatorValues
from scoopi.model.text.text_template import placeholder_names

VALUES = "values"
MOST_PAGES = 100_000_000


def values_of(entry: Table, today: date) -> tuple[LocatorValues, ...]:
    """What the placeholders of a locator stand for; wrong ones are left out, as they are findings."""
    table = entry.table(VALUES) if VALUES in entry.names() else None
    read = (read_values(name, node, today) for name, node in (table.entries.items() if table else ()))
    return tuple(each for each in read if not isinstance(each, Fault))


def names_given(group: Table | None) -> set[str]:
    """Names of the values that the locators of a group, as written, give to its pages."""
    listing = None if group is None else group.entries.get("locators")
    entries = listing.entries if isinstance(listing, Listing) else ()
    tables = (each.table(VALUES) for each in entries if isinstance(each, Table) and VALUES in each.names())
    return {name for table in tables if table is not None for name in table.entries}


def texts_of(entry: Table) -> Iterator[str]:
    """All texts of a locator in which placeholders are filled."""
    return (text.text for _, text in _texts(entry, ""))


class LocatorChecker:
    """Reports placeholders of locators that nothing gives a value, and wrong values.

    Args:
        today: what `today` in a range stands for.
    """

    def __init__(self, findings: Findings, today: date) -> None:
        self._findings = findings
        self._today = today

    def check(self, entry: Table, key: str) -> None:
        """Check one entry of `locators`; `key` is the path to it."""
        table = entry.table(VALUES) if VALUES in entry.names() else None
        known = list(table.entries) if table is not None else []
        if not known and not any("%{" in (entry.text(name) or "") for name in ("name", "url")):
            return
        for path, text in _texts(entry, key):
            for name in placeholder_names(text.text):
                if name not in known:
                    what = f"%{{{name}}} has no values"
                    hint = f"add `{name or 'n'}: 1-50` beside the url"
                    if known:
                        self._findings.unknown(text.place, path, what, name, known)
                    else:
                        self._findings.error(text.place, path, what, hint)
        if table is not None:
            self._check_values(table, f"{key}.{VALUES}")

    def _check_values(self, table: Table, key: str) -> None:
        counts = []
        for name, node in table.entries.items():
            read = read_values(name, node, self._today)
            if isinstance(read, Fault):
                self._findings.error(node.place, f"{key}.{name}", read.what, read.hint)
            else:
                counts.append(read.count)
        if prod(counts) > MOST_PAGES:
            what = f"these are {prod(counts):,} pages, at most {MOST_PAGES:,} are possible"
            self._findings.error(table.place, key, what, "make several groups, or smaller ranges")


def _texts(node: Node, key: str) -> Iterator[tuple[str, Text]]:
    if isinstance(node, Text):
        yield key, node
    elif isinstance(node, Listing):
        for number, entry in enumerate(node.entries):
            yield from _texts(entry, f"{key}[{number}]")
    else:
        for name, entry in node.entries.items():
            if name != VALUES:
                yield from _texts(entry, f"{key}.{name}")
