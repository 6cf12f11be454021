"""DataParser: the step that reads the rows of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from scoopi.model.data import Data, LinkData
from scoopi.model.failure import Failure
from scoopi.model.handover import Handover, Payload, ToTask
from scoopi.model.locator import Document
from scoopi.parse.query_ports import DataReader, ScriptRunner
from scoopi.parse.tree.page import Page
from scoopi.steps.step import Step

if TYPE_CHECKING:
    from scoopi.archive.archive import Archive


class DataReuse(msgspec.Struct, frozen=True):
    """Where a parser saves the data of a page for later runs, and finds that of earlier ones.

    Attributes:
        archive: the run's archive.
        key: returns the key of a document's data, see `data_key`.
    """

    archive: Archive
    key: Callable[[Document], str]


class DataParser(Step):
    """Reads the rows of a page; used by the thread that runs steps.

    Args:
        reader: the compiled data definition.
        scripts: creates the runner of the definition's scripts for one page.
        reuse: None unless parsed data is saved for later runs.
        makes_links: whether the task ends with links, which are relative to the page.
        is_empty: whether data has no value read from the page; None if it always has one.
        joined: makes the values that are addresses absolute; None if no values are.
    """

    def __init__(
        self,
        reader: DataReader,
        scripts: Callable[[Document], ScriptRunner],
        reuse: DataReuse | None = None,
        *,
        makes_links: bool = False,
        is_empty: Callable[[Data], bool] | None = None,
        joined: Callable[[Data, Page], Data] | None = None,
    ) -> None:
        self._reader = reader
        self._scripts = scripts
        self._reuse = reuse
        self._makes_links = makes_links
        self._is_empty = is_empty
        self._joined = joined

    def run(self, payload: Payload) -> Handover:
        """Read the data of the page, or load it from the archive.

        Raises:
            ParseError: the page cannot be read, or a selector fails on it.
            ScriptError: a script of the definition failed.
        """
        page = payload.expect(Page)
        warnings: list[Failure] = []
        data = self._kept(page) or self._read(page, warnings)
        page.is_read = True
        page.has_values = page.has_values or self._is_empty is None or not self._is_empty(data)
        if self._joined is not None:
            data = self._joined(data, page)
        if self._makes_links:
            data = LinkData(data.data_def, data.items, page.document.url, page.base_href)
        return ToTask(payload.advance(data), tuple(warnings))

    def _kept(self, page: Page) -> Data | None:
        if self._reuse is None:
            return None
        return self._reuse.archive.load_data(page.document, self._reuse.key(page.document))

    def _read(self, page: Page, warnings: list[Failure]) -> Data:
        data = self._reader.read(page.part_root, self._scripts(page.document), warnings.append)
        if self._reuse is not None:
            self._reuse.archive.save_data(page.document, self._reuse.key(page.document), data)
        return data
