"""compile_records: compiles a definition of records to a reader of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from scoopi.errors import ParseError
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.report.counter_names import EACH, FIELD
from scoopi.model.scrape.task_def import TaskGroup
from scoopi.parse.bridge.html_backend import record_values
from scoopi.parse.element import Element
from scoopi.parse.records.conversion import Raw
from scoopi.parse.records.data_query import compile_data, compile_items
from scoopi.parse.records.field_reader import FieldReader, FindRaws
from scoopi.parse.records.label_query import LabelQuery
from scoopi.parse.records.node_query import FoundNode, NodeQuery, compile_elements, compile_nodes
from scoopi.parse.records.node_value import value_of
from scoopi.parse.records.record_reader import Follows, RecordReader
from scoopi.parse.records.record_source import compile_source
from scoopi.parse.records.record_walk import RecordWalk
from scoopi.parse.timing.stopwatch import Timed, untimed
from scoopi.parse.values.date_text import zone_of

TaskGroups = Mapping[str, TaskGroup]
"""Name -> task group, of the groups that fields follow links to."""


def compile_records(
    definition: RecordDef,
    regex_timeout_ms: int,
    groups: TaskGroups,
    *,
    plain: bool = False,
    timed: Timed = untimed,
) -> RecordReader:
    """Compile a definition of records to a reader of pages.

    Args:
        regex_timeout_ms: time limit of one regular expression on one text.
        groups: the task groups that fields follow links to, by name.
        plain: evaluate each field on its own, without one walk over the record's element for all fields.
        timed: wraps the calls made for each entry of the definition, to time them.
    Raises:
        ParseError: a part of the definition is wrong.
    """
    source = definition.source
    each, known_zone = None, zone(definition)
    finds = [
        None if find is None else timed([(FIELD, field.name)], find)
        for field in definition.fields
        for find in [find_of(field, definition, regex_timeout_ms)]
    ]
    fields = [
        FieldReader(field, find, regex_timeout_ms, known_zone, timed)
        for field, find in zip(definition.fields, finds, strict=True)
    ]
    if definition.each is not None:
        text = definition.each.text
        each = compile_elements(text, regex_timeout_ms) if source.is_html else compile_items(text)
        each = timed([EACH], each)
    follows = {
        field.name: Follows.of(field, definition.name, groups.get(field.follow), regex_timeout_ms)
        for field in definition.fields
        if field.follow
    }
    root_of = compile_source(source, regex_timeout_ms)
    read_all = None
    if source.is_html and not plain:
        found = [find if reader.is_found else None for find, reader in zip(finds, fields, strict=True)]
        walk = RecordWalk(list(zip(definition.fields, found, strict=True)), record_values())
        if walk.targets:
            read_all = timed([(FIELD, definition.fields[at].name) for at in walk.targets], walk)
    return RecordReader(definition, fields, root_of, each, read_all, follows)


def find_of(field: FieldDef, definition: RecordDef, regex_timeout_ms: int) -> FindRaws | None:
    """Compile the selectors or the label of a field; None if it is not read from the page's content.

    Raises:
        ParseError: a selector is wrong.
    """
    if field.label is not None:
        return _find([LabelQuery(field.label)], value_of(field.text, field.html), field.is_list)
    if not field.selects:
        return None
    if not definition.source.is_html:
        return compile_data([each.text for each in field.selects], is_list=field.is_list)
    of_page = field.page or definition.each is None
    queries = [compile_nodes(each.text, regex_timeout_ms, of_page=of_page) for each in field.selects]
    return _find(queries, value_of(field.text, field.html), field.is_list)


def zone(definition: RecordDef) -> tzinfo | None:
    """The time zone that a definition sets for dates without one; None if it sets none.

    Raises:
        ParseError: the zone is unknown.
    """
    try:
        return zone_of(definition.time_zone) if definition.time_zone else None
    except ValueError as error:
        raise ParseError(str(error), hint="write a name such as Europe/Berlin") from None


def _find(queries: Sequence[NodeQuery], take: Callable[[FoundNode], str], is_list: bool) -> FindRaws:
    def find(element: Element) -> Sequence[Raw]:
        for query in queries:
            nodes = query(element)
            if nodes:
                return [take(node) for node in nodes] if is_list else (take(nodes[0]),)
        return ()

    return find
