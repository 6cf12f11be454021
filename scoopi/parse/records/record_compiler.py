"""compile_records: a definition of records becomes a reader of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.definitions import TaskGroup
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.parse.records.conversion import Raw
from scoopi.parse.records.field_reader import FieldReader, Find
from scoopi.parse.records.node_query import Node, NodeQuery, compile_elements, compile_nodes
from scoopi.parse.records.node_value import value_of
from scoopi.parse.records.record_reader import Follows, RecordReader
from scoopi.parse.values.date_text import zone_of

Element = etree._Element
Groups = Mapping[str, TaskGroup]
"""By name, those that fields lead to."""


def compile_records(definition: RecordDef, regex_timeout_ms: int, groups: Groups) -> RecordReader:
    """The reader of a definition.

    Args:
        regex_timeout_ms: limit of one regular expression on one text.
        groups: by name.
    Raises:
        ParseError: a part of the definition is wrong.
    """
    fields = [
        FieldReader(field, html_find(field, regex_timeout_ms, definition), regex_timeout_ms, zone(definition))
        for field in definition.fields
    ]
    each = None
    if definition.each is not None:
        each = compile_elements(definition.each.text, regex_timeout_ms)
    follows = {
        field.name: Follows.of(field, groups.get(field.follow)) for field in definition.fields if field.follow
    }
    return RecordReader(definition, fields, each, None, follows)


def html_find(field: FieldDef, regex_timeout_ms: int, definition: RecordDef) -> Find | None:
    """What a field finds in a tree; None if it is not read from one."""
    of_page = field.page or definition.each is None
    queries = [compile_nodes(each.text, regex_timeout_ms, of_page=of_page) for each in field.selects]
    return _find(queries, value_of(field.text, field.html), field.is_list) if queries else None


def zone(definition: RecordDef) -> tzinfo | None:
    """The time zone of dates that have none.

    Raises:
        ParseError: it is not known.
    """
    try:
        return zone_of(definition.time_zone) if definition.time_zone else None
    except ValueError as error:
        raise ParseError(str(error), hint="write a name such as Europe/Berlin") from None


def _find(queries: Sequence[NodeQuery], take: Callable[[Node], str], is_list: bool) -> Find:
    def find(element: Element) -> Sequence[Raw]:
        for query in queries:
            nodes = query(element)
            if nodes:
                return [take(node) for node in nodes] if is_list else (take(nodes[0]),)
        return ()

    return find
