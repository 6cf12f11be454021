"""GridReading: what is known of one page while its rows are read."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.data import ScriptRow
from scoopi.parse.cells.positional_index import PositionalGroups, PositionalIndex
from scoopi.parse.query_ports import OpenQuery, PageMemory, QueryEngine, ScriptRunner

Element = etree._Element


class GridReading:
    """What is known of one page while its rows are read.

    Finds blocks and values, each only once, and runs scripts.

    Args:
        engine: compiles the queries.
        root: root element of the page.
        scripts: runs scripts; None when the page's definition has none.
    """

    def __init__(self, engine: QueryEngine, root: Element, scripts: ScriptRunner | None) -> None:
        self._engine = engine
        self._root = root
        self._scripts = scripts
        self._memory: PageMemory = {}
        self._blocks: dict[str, Sequence[Element]] = {}
        self._values: dict[tuple[str, str], str | None] = {}
        self._groups: dict[str, PositionalGroups] = {}
        self._indexes: dict[tuple[str, str], PositionalIndex] = {}

    def value(self, block: str, selector: str) -> str | None:
        """The value of the selector inside the blocks; None when nothing is found.

        Raises:
            ParseError: a selector is wrong, or its evaluation failed.
        """
        key = block, selector
        if key not in self._values:
            self._values[key] = self._engine.compile_value(selector)(self._found_blocks(block), self._memory)
        return self._values[key]

    def index(self, block: str, query: OpenQuery) -> PositionalIndex:
        """The index of the blocks' values by position; raises as `value`."""
        key = block, query.key
        if key not in self._indexes:
            if block not in self._groups:
                self._groups[block] = PositionalGroups(query.blocks(self._found_blocks(block)))
            self._indexes[key] = PositionalIndex(query, self._groups[block])
        return self._indexes[key]

    def script(self, script: str, row: ScriptRow) -> str | None:
        """The result of the script as text.

        Raises:
            ScriptError: the script failed.
            ParseError: nothing can run scripts here.
        """
        if self._scripts is None:
            raise ParseError(
                "the definition has a script, and no script runner is given", hint="pass a ScriptRunner"
            )
        return self._scripts(script, row)

    def _found_blocks(self, block: str) -> Sequence[Element]:
        if block not in self._blocks:
            self._blocks[block] = self._engine.compile_block(block)(self._root)
        return self._blocks[block]
