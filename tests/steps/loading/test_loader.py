"""Loader: what a loader of pages may leave to the interface."""

from __future__ import annotations

from scoopi.errors import FetchError
from scoopi.model.handover import Payload
from scoopi.model.locator import Locator
from scoopi.model.site_session import Session
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader, OnHandover


class Refusing(Loader):
    """The least that a loader has to do: it fails each page at once."""

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        on_handover(FetchError(f"no page {payload.locator.url}"))

    def under_way(self) -> int:
        return 0

    def turn(self, wait_s: float) -> None:
        return

    def wake(self) -> None:
        return

    def close(self) -> None:
        return


def test_a_loader_that_knows_no_sessions_changes_none_and_counts_no_bytes() -> None:
    loader = Refusing()
    loader.learn(Session("site"))
    loader.abandon(Payload("job", Locator("page", "group", "http://h/"), 1, "", LoadState()))
    assert loader.take_changes() == []
    assert (loader.size_of(object()), loader.fault_of(object())) == (0, None)
