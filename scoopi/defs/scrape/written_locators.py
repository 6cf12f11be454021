"""WrittenLocators: the locators of a group, each made when it is looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from scoopi.defs.yaml.node import Listing, Node, Table
from scoopi.model.definitions import LocatorDef


class WrittenLocators(Collection[LocatorDef]):
    """Keeps nothing but the listing, which is small; what is no mapping (a finding elsewhere) is left out.

    Args:
        node: of the key `locators`; None when there is none.
    """

    def __init__(self, node: Node | None) -> None:
        self._entries = node.entries if isinstance(node, Listing) else ()

    def __len__(self) -> int:
        return sum(isinstance(entry, Table) for entry in self._entries)

    def __iter__(self) -> Iterator[LocatorDef]:
        for entry in self._entries:
            if isinstance(entry, Table):
                yield LocatorDef(entry.text("name") or "", entry.text("url") or "", entry.at("url"))

    def __contains__(self, locator: object) -> bool:
        return any(each == locator for each in self)
