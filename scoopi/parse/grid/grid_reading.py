"""GridReading: caches the blocks and values of one page while its rows are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scoopi.errors import ParseError
from scoopi.model.data import ScriptRow
from scoopi.parse.cells.positional_index import PositionalGroups, PositionalIndex
from scoopi.parse.element import Element
from scoopi.parse.query_ports import (
    OpenQuery,
    PageMemory,
    PositionalBlock,
    QueryEngine,
    ScriptRunner,
)
from scoopi.parse.walks.block_walk import BlockWalk

Cell = tuple[tuple[str, str], PositionalBlock | None]
"""((block, selector), positions of the block if it can be found by them)."""


class GridReading:
    """Caches the blocks and values of one page while its rows are read.

    Finds each block and value only once, and runs scripts.

    Args:
        engine: compiles the queries.
        root: root element of the page.
        scripts: runs scripts; None if the definition has none.
        walks: block -> the walk that finds several values in it at once; the key None is for all other
            blocks.

    Attributes:
        known: (block, selector) -> value found.
    """

    def __init__(
        self,
        engine: QueryEngine,
        root: Element,
        scripts: ScriptRunner | None,
        walks: Mapping[str | None, BlockWalk] | None = None,
    ) -> None:
        self._engine = engine
        self._root = root
        self._scripts = scripts
        self._walks = walks or {}
        self._walked: set[str] = set()
        self._page: PositionalGroups | None = None  # most definitions need none
        self._memory: PageMemory = {}
        self._blocks: dict[str, Sequence[Element]] = {}
        self.known: dict[tuple[str, ...], str | None] = {}
        self._groups: dict[str, PositionalGroups] = {}
        self._indexes: dict[tuple[str, str], PositionalIndex] = {}

    def value(self, block: str, selector: str, place: PositionalBlock | None = None) -> str | None:
        """The value of the selector inside the blocks; None if nothing is found.

        Args:
            block: selector of the blocks.
            selector: selector inside them.
            place: positions of the block, which save a query over the whole page; None if it has none.
        Raises:
            ParseError: a selector is wrong, or its evaluation failed.
        """
        key = block, selector
        return self.known[key] if key in self.known else self._read(key, place)

    def values(self, cells: Iterable[Cell]) -> list[str | None]:
        """The values of several cells; same errors as `value`."""
        known, read = self.known, self._read
        return [known[key] if key in known else read(key, place) for key, place in cells]

    def _read(self, key: tuple[str, str], place: PositionalBlock | None) -> str | None:
        known, (block, selector) = self.known, key
        blocks = self._blocks.get(block)
        if blocks is None:
            blocks = self._found_blocks(block, place)
        if self._walks and block not in self._walked and len(blocks) == 1:
            self._walked.add(block)
            walk = self._walks.get(block) or self._walks.get(None)
            if walk is not None:
                walk.read(block, blocks[0], known)
            if key in known:
                return known[key]
        known[key] = found = self._engine.compile_value(selector)(blocks, self._memory)
        return found

    def index(self, block: str, query: OpenQuery) -> PositionalIndex:
        """The index of the blocks' values by position; same errors as `value`."""
        key = block, query.key
        if key not in self._indexes:
            if block not in self._groups:
                self._groups[block] = PositionalGroups(query.blocks(self._found_blocks(block)))
            self._indexes[key] = PositionalIndex(query, self._groups[block])
        return self._indexes[key]

    def script(self, script: str, row: ScriptRow) -> str | None:
        """The result of the script as text; None for null and undefined.

        Raises:
            ScriptError: the script failed.
            ParseError: no script runner was given.
        """
        if self._scripts is None:
            raise ParseError(
                "the definition has a script, and no script runner is given", hint="pass a ScriptRunner"
            )
        return self._scripts(script, row)

    def _found_blocks(self, block: str, place: PositionalBlock | None = None) -> Sequence[Element]:
        if block not in self._blocks:
            found = None
            if place is not None:
                self._page = self._page or PositionalGroups([self._root])
                found = self._page.found(*place)
            self._blocks[block] = self._engine.compile_block(block)(self._root) if found is None else found
        return self._blocks[block]
