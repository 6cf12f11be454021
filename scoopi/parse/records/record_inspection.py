"""RecordInspection: reports what each field of a definition finds on one page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import msgspec

from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.records.record_schema import Records
from scoopi.model.report.counter_names import ABSENT, EXAMPLE, FIELD, UNREADABLE, count_name
from scoopi.model.text.shown import nearest
from scoopi.parse.records.data_query import compile_data, compile_items
from scoopi.parse.records.label_query import LabelQuery, labels_in
from scoopi.parse.records.node_query import SelectorText, compile_elements, compile_nodes
from scoopi.parse.records.record_source import compile_source
from scoopi.parse.records.selector_prefix import counted_in, longest_prefix
from scoopi.parse.tree.page import Page

_TIMEOUT_MS = 1000
_MOST_LABELS = 8


class FieldView(msgspec.Struct, frozen=True):
    """What one field finds on one page.

    Attributes:
        matches: number of matches of its selectors or label in all records; None if it has neither.
        missing: number of records without a value.
        unreadable: number of values that could not be converted.
        example: why one of them could not be, shortened; empty if there are none.
        select: the selector, if it finds nothing; else empty.
        prefix: the longest prefix of `select` that finds something; empty if none does.
        prefix_matches: number of matches of that prefix.
        at: place of the field in the definitions.
        label: the label, if it is not found; else empty.
        labels: labels that the page has instead: the most similar one, or else the first few.
    """

    field: str
    matches: int | None
    missing: int
    unreadable: int
    example: str = ""
    select: str = ""
    prefix: str = ""
    prefix_matches: int = 0
    at: str = ""
    label: str = ""
    labels: tuple[str, ...] = ()


class RecordInspection:
    """Reports to the author of a definition what each of its fields finds on one page.

    Evaluates the fields one by one, without regard to speed.

    Args:
        source: the page.
        records: the records that were read from it.
    """

    def __init__(self, definition: RecordDef, source: Page, records: Records) -> None:
        self._definition = definition
        self._records = records
        self._is_html = definition.source.is_html
        # The whole page, as the part that is read may lack what a prefix of a selector finds.
        self._root = source.root if self._is_html else compile_source(definition.source, _TIMEOUT_MS)(source)
        self._contexts: Sequence[Any] = (self._root,)
        if definition.each is not None:
            text = definition.each.text
            find: Callable[[Any], Sequence[Any]]
            find = compile_elements(text, _TIMEOUT_MS) if self._is_html else compile_items(text)
            self._contexts = find(self._root)

    def each(self) -> FieldView | None:
        """What `each` finds; None for a definition without it."""
        each = self._definition.each
        if each is None:
            return None
        prefix, count = "", 0
        if not self._contexts:
            prefix, count = self._prefix(each.text, (self._root,), of_page=True)
        found = len(self._contexts)
        return FieldView(
            "each", found, 0, 0, "", each.text if not found else "", prefix, count, str(each.place)
        )

    def fields(self) -> list[FieldView]:
        """What each field finds, in the order of the definition."""
        return [self._view(field) for field in self._definition.fields]

    def _view(self, field: FieldDef) -> FieldView:
        name, finds = self._definition.name, self._records.finds
        key = (FIELD, field.name)
        example = f"{count_name(EXAMPLE, name, key)}\x1f"
        of_page = field.page or self._definition.each is None
        contexts = (self._root,) if of_page else self._contexts
        matches, prefix, select = None, ("", 0), ""
        if field.selects:
            matches = max(self._count(each.text, contexts, of_page=of_page) for each in field.selects)
            if not matches and contexts:
                select = field.selects[-1].text
                prefix = self._prefix(select, contexts, of_page=of_page)
        label, labels = "", tuple[str, ...]()
        if field.label is not None:
            matches = sum(len(LabelQuery(field.label)(context)) for context in contexts)
            if not matches and contexts:
                label, labels = field.label, _labels_like(field.label, contexts)
        return FieldView(
            field=field.name,
            matches=matches,
            missing=int(finds.get(count_name(ABSENT, name, key), 0)),
            unreadable=int(finds.get(count_name(UNREADABLE, name, key), 0)),
            example=next((each.removeprefix(example) for each in finds if each.startswith(example)), ""),
            select=select,
            prefix=prefix[0],
            prefix_matches=prefix[1],
            at=str(field.read_at),
            label=label,
            labels=labels,
        )

    def _count(self, text: str, contexts: Sequence[Any], *, of_page: bool) -> int:
        return counted_in(contexts, self._compiler(of_page=of_page))(text)

    def _prefix(self, text: str, contexts: Sequence[Any], *, of_page: bool) -> tuple[str, int]:
        is_css = self._is_html and not SelectorText.of(text).is_xpath
        matches = counted_in(contexts, self._compiler(of_page=of_page))
        return longest_prefix(text, matches, is_css=is_css)

    def _compiler(self, *, of_page: bool) -> Callable[[str], Callable[[Any], Sequence[Any]]]:
        if self._is_html:
            return lambda text: compile_nodes(text, _TIMEOUT_MS, of_page=of_page)
        return lambda text: compile_data([text], is_list=True)


def _labels_like(label: str, contexts: Sequence[Any]) -> tuple[str, ...]:
    """The label in these elements that is most similar to the missing one, or else the first few."""
    labels = dict.fromkeys(each for context in contexts for each in labels_in(context))
    near = nearest(label, labels)
    return (near,) if near else tuple(islice(labels, _MOST_LABELS))
