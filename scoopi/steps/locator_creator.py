"""LocatorCreator: the step that ends a task with links to further pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scoopi.java.java_blank import is_blank
from scoopi.model.data import Data, LinkData
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.failure import Failure
from scoopi.model.handover import Handover, ToJobs
from scoopi.model.locator import Link
from scoopi.model.payload import Payload
from scoopi.steps.link_address import link_address
from scoopi.steps.step import Step


class LocatorCreator(Step):
    """Makes a link from the item of each row, in the order of the rows and as often as it occurs.

    The value is the raw one; a blank or null value makes no link. With the item's `prefix` the value is an
    address as it is; without one it is joined to the page. A value listed in `linkBreakOn`, compared with
    its prefix and before joining, makes no link. Cycles and depth are checked when the links become jobs.
    """

    def __init__(self, data_def: DataDef) -> None:
        self._items = {item.name: item for item in data_def.items}

    def run(self, payload: Payload) -> Handover:
        """The links of a page, with a warning for each item that has no link group.

        LinkData is relative to its own page, any other Data to the payload's locator.
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
    """Whether a prefix applies: constants and matches get none."""
    return bool(definition.prefix) and definition.value is None and definition.match is None


def _prefixed(raw: str, definition: ItemDef) -> str:
    """The value behind its prefixes, which apply in order: the last one comes first in the result."""
    if not _has_prefix(definition):
        return raw
    return "".join((*reversed(definition.prefix), raw))
