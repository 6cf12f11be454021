"""compile_presence: compiles a test of whether a page has records of a definition."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.errors import ParseError
from scoopi.model.records.record_def import RecordDef
from scoopi.parse.records.data_query import compile_items
from scoopi.parse.records.node_query import compile_elements
from scoopi.parse.records.record_compiler import find_of
from scoopi.parse.records.record_source import compile_source
from scoopi.parse.tree.page import Page

_JSON = "json"


def compile_presence(definition: RecordDef, regex_timeout_ms: int) -> Callable[[Page], bool]:
    """Compile the test: whether `each` finds anything or, without `each`, whether a field does.

    The test raises ParseError for a page of the wrong kind, such as JSON instead of HTML: loading it in a
    browser would not change that.

    Raises:
        ParseError: a part of the definition is wrong.
    """
    source = definition.source
    root_of = compile_source(source, regex_timeout_ms)
    if definition.each is not None:
        text = definition.each.text
        finds = [compile_elements(text, regex_timeout_ms) if source.is_html else compile_items(text)]
    else:
        found = (find_of(field, definition, regex_timeout_ms) for field in definition.fields)
        finds = [find for find in found if find is not None]

    def presence(page: Page) -> bool:
        try:
            root = root_of(page)
        except ParseError:
            if source.is_html or source.kind == _JSON:
                raise
            return False  # the element with the data is not there yet
        return not finds or any(find(root) for find in finds)

    return presence
