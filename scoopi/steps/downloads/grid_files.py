"""GridFiles: the step that requests the files that rows name, and writes their paths into the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from scoopi.errors import FetchError
from scoopi.model.data import Data, Item
from scoopi.model.data_def import DataDef
from scoopi.model.downloads import Downloads
from scoopi.model.handover import Handover, Payload, ToFiles, ToTask
from scoopi.model.text.file_path import FilePath
from scoopi.parse.tree.page import Page
from scoopi.steps.downloads.row_files import ClaimPath, FileColumn, RowFiles
from scoopi.steps.locator_creator import link_address
from scoopi.steps.step import Step


class JoinedAddresses:
    """Makes the addresses of files absolute, before the step that no longer has their page.

    Args:
        names: names of the entries that have a download.
        nothing: values that stand for no file.
    """

    def __init__(self, names: Collection[str], nothing: Collection[str]) -> None:
        self._names = frozenset(names)
        self._nothing = frozenset(nothing)

    def __call__(self, data: Data, page: Page) -> Data:
        """Return the data with these values made absolute."""
        url, base = page.document.url, page.base_href

        def joined(name: str, value: str | None) -> str | None:
            is_address = name in self._names and value and value.strip() and value not in self._nothing
            return link_address(value, url, base) if is_address and value else value

        return data.with_items(
            [
                Item(
                    item.axes,
                    tuple(
                        joined(axis.item_name, value)
                        for axis, value in zip(item.axes, item.values, strict=True)
                    ),
                    item.indexes,
                )
                for item in data.items
            ]
        )


class GridFiles(Step):
    """Requests the files that rows name, and writes their paths into the rows.

    It runs twice for a page: with Data, and then with the Downloads that it has requested.

    Args:
        definition: the data definition of the rows.
        claim: see `RowFiles`.
        not_found: value of a fact whose file cannot be downloaded; an item or dim becomes null.
        nothing: values that stand for no file.
    """

    def __init__(
        self,
        definition: DataDef,
        claim: ClaimPath,
        not_found: str | None = None,
        nothing: Collection[str] = frozenset(),
    ) -> None:
        self._claim = claim
        self._nothing = nothing
        self._not_found = not_found
        self._columns = {
            item.name: FileColumn(item.name, 0, item.download, FilePath(item.download.to))
            for item in (*definition.items, *definition.dims, *definition.facts)
            if item.download is not None
        }

    def run(self, payload: Payload) -> Handover:
        """Request the files; with Downloads, write their paths into the rows.

        Raises:
            LocalFaultError: a file cannot be written on this machine.
        """
        if isinstance(payload.input, Downloads):
            return self._filled(payload, payload.input)
        data = payload.expect(Data)
        requests = (
            column.request(item.values[at] or "") for item in data.items for at, column in self._wanted(item)
        )
        wanted = tuple(dict.fromkeys(requests))
        return ToFiles(payload, wanted) if wanted else ToTask(payload)

    def _wanted(self, item: Item) -> Iterator[tuple[int, FileColumn]]:
        """The positions of the values of a row that are addresses of files, with their columns."""
        for at, axis in enumerate(item.axes):
            column = self._columns.get(axis.item_name)
            value = item.values[at]
            if column is not None and value and value.strip() and value not in self._nothing:
                yield at, column

    def _filled(self, payload: Payload, downloads: Downloads) -> Handover:
        data = downloads.input
        assert isinstance(data, Data)
        files = RowFiles(downloads, payload, self._claim, "")
        items = [self._item(item, files) for item in data.items]
        return ToTask(payload.advance(data.with_items(items)), files.warnings(), files.refs())

    def _item(self, item: Item, files: RowFiles) -> Item:
        values = [*item.values]
        row = {
            f"item.{axis.item_name}": value or "" for axis, value in zip(item.axes, item.values, strict=True)
        }
        for at, column in self._wanted(item):
            found = files.path(column, item.values[at] or "", row)
            missing = self._not_found if item.axes[at].axis_name == "fact" else None
            values[at] = missing if isinstance(found, FetchError) else found
        return Item(item.axes, tuple(values), item.indexes)
