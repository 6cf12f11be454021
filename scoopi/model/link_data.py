"""LinkData: rows that shall become links, and what their addresses are relative to."""

from __future__ import annotations

from scoopi.model.data import Data, Item


class LinkData(Data, frozen=True):
    """Data of a task that makes links; the items' values are raw, without their prefix.

    Steps in between (filters, scripts) see it as Data, and hand it on by `with_items`.

    Attributes:
        page_url: the page's final address; for a page from a path its address as written.
        base_href: the `href` of the page's first `base` element that has one, as written.
    """

    page_url: str = ""
    base_href: str | None = None

    def with_items(self, items: list[Item] | tuple[Item, ...]) -> LinkData:
        """The same page's data with other rows."""
        return LinkData(self.data_def, tuple(items), self.page_url, self.base_href)
