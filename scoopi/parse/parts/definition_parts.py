"""grid_part and record_part: the part of a page that a data definition reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import compress

from scoopi.model.data_def import DataDef
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.parse.parts.page_part import PagePart, joined
from scoopi.parse.parts.selector_anchors import nested_part_of, part_of, shallow_part_of
from scoopi.parse.records.node_query import SelectorText

_INDEX = re.compile(r"(?<=:nth-child\()\s*%\{(?:[^{}]*\.)?index\}\s*(?=\))")
_ATTRIBUTE = " attribute: "


def grid_part(data_def: DataDef) -> PagePart | None:
    """The part of a page that a definition with CSS selectors reads; None for the whole page.

    Every selector searches inside the block; one with `+` or `~` may also reach siblings of the block.
    A position that depends on the row does not matter, as a part has the siblings of its elements.
    """
    items = (*data_def.items, *data_def.dims, *data_def.facts)
    written = [data_def.selector, *(item.selector for item in items)]
    texts = [_INDEX.sub("1", text.partition(_ATTRIBUTE)[0]) for text in written if text]
    block = _INDEX.sub("1", data_def.block)
    may_leave = any(sign in text for text in texts for sign in "+~")
    return _nested(block, texts) or part_of(block, joins_siblings=may_leave)


def _nested(block: str, inner: Sequence[str]) -> PagePart | None:
    """The blocks with what selectors find in them, not their other contents; None if these may matter."""
    return joined((shallow_part_of(block), *map(nested_part_of, inner)))


def record_part(definition: RecordDef) -> PagePart | None:
    """The part of a page that a definition of records reads; None for the whole page."""
    if not definition.source.is_html:
        return None
    return joined(_parts(definition))


def _parts(definition: RecordDef) -> Iterator[PagePart | None]:
    found = [field for field in definition.fields if field.selects or field.label is not None]
    in_record = [definition.each is not None and not field.page for field in found]
    if definition.each is not None:
        yield _each_part(definition.each.text, list(compress(found, in_record)))
    for field, is_inside in zip(found, in_record, strict=True):
        if not is_inside:
            yield from (_part(each.text) for each in field.selects)
            if field.label is not None:
                yield None  # a label may be anywhere
        elif any(SelectorText.of(each.text).is_xpath for each in field.selects):
            yield None  # an XPath can reach any element


def _each_part(each: str, fields: Sequence[FieldDef]) -> PagePart | None:
    """The part with the records, and in them at least what the fields read there."""
    found = SelectorText.of(each)
    selects = [SelectorText.of(select.text) for field in fields for select in field.selects]
    has_labels = any(field.label is not None for field in fields)
    if not has_labels and not any(select.is_xpath for select in (found, *selects)):
        # A selector of an attribute alone reads the record's element, which is always there.
        nested = _nested(found.path, [select.path for select in selects if select.path])
        if nested is not None:
            return nested
    return _part(each, joins_siblings=any(map(_may_leave, fields)))


def _part(selector: str, *, joins_siblings: bool = False) -> PagePart | None:
    text = SelectorText.of(selector)
    return None if text.is_xpath else part_of(text.path, joins_siblings=joins_siblings)


def _may_leave(field: FieldDef) -> bool:
    """Whether a field may find something outside its record, in siblings of the record's element."""
    return field.label is not None or any(sign in each.text for each in field.selects for sign in "+~")
