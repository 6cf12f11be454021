"""Loader: the interface of the step that loads pages, many at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import msgspec

from scoopi.model.handover import Grant, Handover, Payload

OnHandover = Callable[[Handover | Exception], None]
"""Receives the handover of a payload, or the error of its page: any that `Step.run` may raise."""


class LoadOrder(msgspec.Struct, frozen=True):
    """The input of a loader: how it may load the page of a payload.

    Attributes:
        grant: permits the next request; None when no request is needed (file, archive).
        archived: the archive held a fresh copy of the page when the parent checked.
        url: the target of the last redirect; empty for the locator's own address.
        hops: redirects followed so far.
        cookies: set by earlier hops of the chain, as `HttpClient` encodes them.
        fresh: use a new connection, because the last request was lost on a reused one.
        public_only: see `Request`.
        whole: ask for the page even if the archive has its current version, which cannot be read.
    """

    grant: Grant | None = None
    archived: bool = False
    url: str = ""
    hops: int = 0
    cookies: tuple[str, ...] = ()
    fresh: bool = False
    public_only: bool = False
    whole: bool = False

    def with_grant(self, grant: Grant) -> LoadOrder:
        """The same order with a grant for its next request."""
        return msgspec.structs.replace(self, grant=grant, archived=False)

    def without_grant(self, was_lost: bool = False) -> LoadOrder:
        """The same order, waiting for a grant; `was_lost` as in `GrantNeeded`."""
        return msgspec.structs.replace(self, grant=None, archived=False, fresh=self.fresh or was_lost)


class Loader(ABC):
    """Starts loads on request and advances them in turns; used by one thread at a time."""

    @abstractmethod
    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        """Start to load a page.

        Args:
            payload: its input is a LoadOrder.
            on_handover: called once, here or in a later `turn`: with a ToTask whose payload has the Page,
                with a ToGrant if the page needs (another) grant, or with the page's error.
        """

    @abstractmethod
    def under_way(self) -> int:
        """The number of pages being loaded."""

    @abstractmethod
    def turn(self, wait_s: float) -> None:
        """Advance all loads; when none can advance, wait for at most `wait_s` seconds."""

    @abstractmethod
    def wake(self) -> None:
        """End the wait of the current or the next turn; callable from any thread."""

    def size_of(self, page: object) -> int:
        """The size of a loaded page in bytes; 0 when it need not be counted."""
        return 0

    def fault_of(self, page: object) -> str | None:
        """Why a page whose tasks have run gave no values, if it is not a page that has any; else None."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Abandon all loads; no other method is called afterwards."""
