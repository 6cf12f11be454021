"""LoadOrder: what a loader is given to load a page, or to go on after a redirect."""

from __future__ import annotations

import msgspec

from scoopi.model.grant import Grant


class LoadOrder(msgspec.Struct, frozen=True):
    """How the page of a payload may be loaded.

    Attributes:
        grant: for the next request; None when there is none (file, archive).
        archived: the archive held the page, fresh enough, when the parent looked.
        url: where a redirect led to; empty for the locator's own address.
        hops: how many redirects were followed.
        cookies: what the hops before set, as the client packed them.
        fresh: the next request goes over a new connection: the one before went out in vain over a kept one.
        public_only: as of `Request`.
    """

    grant: Grant | None = None
    archived: bool = False
    url: str = ""
    hops: int = 0
    cookies: tuple[str, ...] = ()
    fresh: bool = False
    public_only: bool = False

    def with_grant(self, grant: Grant) -> LoadOrder:
        """The same order with leave for its next request."""
        return msgspec.structs.replace(self, grant=grant, archived=False)

    def without_grant(self, in_vain: bool = False) -> LoadOrder:
        """The same order, waiting for leave; `in_vain` as of `Unsent`."""
        return msgspec.structs.replace(self, grant=None, archived=False, fresh=self.fresh or in_vain)
