"""PageLoad: a page to be loaded; Loaded: what came of it."""

from __future__ import annotations

import msgspec

from scoopi.model.payload import Payload
from scoopi.steps.loader import LoadOrder
from scoopi.worker.messages import WorkItem


class PageLoad(msgspec.Struct, frozen=True):
    """A page to be loaded, or to be gone on with after a redirect; its payload's input is a LoadOrder."""

    item: WorkItem
    payload: Payload

    def granted_host(self) -> str:
        """The host that it has leave to ask; empty without leave."""
        grant = self.payload.expect(LoadOrder).grant
        return "" if grant is None else grant.host


class Loaded(msgspec.Struct, frozen=True):
    """A page of so many bytes from the network, or the error instead of it."""

    item: WorkItem
    page: object
    error: Exception | None = None
    size: int = 0
