"""grid_part and record_part: the part of a page that a data definition reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

from scoopi.model.data_def import DataDef
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.parse.parts.page_part import PagePart, joined
from scoopi.parse.parts.selector_anchors import part_of
from scoopi.parse.records.node_query import SelectorText


def grid_part(data_def: DataDef) -> PagePart | None:
    """The part of a page that a definition with CSS selectors reads; None for the whole page.

    Every selector searches inside the block; one with `+` or `~` may also reach siblings of the block.
    """
    items = (*data_def.items, *data_def.dims, *data_def.facts)
    selectors = [data_def.selector, *(item.selector for item in items)]
    return part_of(
        data_def.block, joins_siblings=any(sign in text for text in selectors if text for sign in "+~")
    )


def record_part(definition: RecordDef) -> PagePart | None:
    """The part of a page that a definition of records reads; None for the whole page."""
    if not definition.source.is_html:
        return None
    return joined(_parts(definition))


def _parts(definition: RecordDef) -> Iterator[PagePart | None]:
    found = [field for field in definition.fields if field.selects or field.label is not None]
    in_record = [definition.each is not None and not field.page for field in found]
    if definition.each is not None:
        yield _part(definition.each.text, joins_siblings=any(map(_may_leave, compress(found, in_record))))
    for field, is_inside in zip(found, in_record, strict=True):
        if not is_inside:
            yield from (_part(each.text) for each in field.selects)
            if field.label is not None:
                yield None  # a label may be anywhere
        elif any(SelectorText.of(each.text).is_xpath for each in field.selects):
            yield None  # an XPath can reach any element


def _part(selector: str, *, joins_siblings: bool = False) -> PagePart | None:
    text = SelectorText.of(selector)
    return None if text.is_xpath else part_of(text.path, joins_siblings=joins_siblings)


def _may_leave(field: FieldDef) -> bool:
    """Whether a field may find something outside its record, in siblings of the record's element."""
    return field.label is not None or any(sign in each.text for each in field.selects for sign in "+~")
