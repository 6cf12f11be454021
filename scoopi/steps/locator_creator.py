"""LocatorCreator: the step that ends a task with links to further pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scoopi.model.data import Data
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.failure import Failure
from scoopi.model.handover import Handover, ToJobs
from scoopi.model.link import Link
from scoopi.model.link_data import LinkData
from scoopi.model.payload import Payload
from scoopi.parse.grid.grid_blank import is_blank
from scoopi.steps.link_address import link_address
from scoopi.steps.step import Step


class LocatorCreator(Step):
    """Makes a link of the item of each row, in the order of the rows and as often as it occurs.

    The item's value is the raw one. A blank or null value makes no link; with the item's `prefix` the text
    is an address, which is not joined to the page; else it is joined. What stands in `linkBreakOn`,
    compared with the prefix and before joining, makes no link. Circles and depth are judged where jobs
    are made of the links.

    Source: language, A7 and B 2.9.
    """

    def __init__(self, data_def: DataDef) -> None:
        self._items = {item.name: item for item in data_def.items}

    def run(self, payload: Payload) -> Handover:
        """The links of a page, and a warning for each item that has no link group.

        The input is LinkData; Data from elsewhere is taken as of the payload's locator.
        """
        data = payload.expect(Data)
        page_url, base_href = payload.locator.url, None
        if isinstance(data, LinkData):
            page_url, base_href = data.page_url, data.base_href
        links: list[Link] = []
        groupless: Counter[str] = Counter()
        for item in data.items:
            raw = item.values[0]
            if raw is None or is_blank(raw):
                continue
            name = item.axes[0].item_name
            definition = self._items.get(name)
            if definition is None or definition.link_group is None:
                groupless[name] += 1
                continue
            address = _prefixed(raw, definition)
            if address in definition.link_break_on:
                continue
            if not _has_prefix(definition):
                address = link_address(raw, page_url, base_href)
            links.append(Link(definition.link_group, address, definition.once))
        return ToJobs(tuple(links), tuple(self._warnings(groupless)))

    def _warnings(self, groupless: Counter[str]) -> Iterator[Failure]:
        for name, count in groupless.items():
            definition = self._items.get(name)
            yield Failure(
                cause=f"item {name} makes no links: it has no linkGroup",
                message=f"item {name} makes no links of its {count} value(s): it has no linkGroup; "
                "give it one, or move it to a dataDef of a task without links",
                at=str(definition.place) if definition else "",
            )


def _has_prefix(definition: ItemDef) -> bool:
    """Constants and matches take no prefix (language, B 2.6)."""
    return bool(definition.prefix) and definition.value is None and definition.match is None


def _prefixed(raw: str, definition: ItemDef) -> str:
    """The list is applied from its first entry on, so that the last one comes to stand in front."""
    if not _has_prefix(definition):
        return raw
    return "".join((*reversed(definition.prefix), raw))
