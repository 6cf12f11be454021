"""RunKeepAlive: each heartbeat renews the one record of its run, until the run is removed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from scoopi.store.ports import Store, StoreMap
from scoopi.store.runs.run_keep_alive import WEEK_S, RunKeepAlive

SECONDS = 60


class Timed:
    """A store that notes which record was given an end."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.ends: list[tuple[StoreMap, str, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        self.ends += [(store_map, key, seconds) for key in keys]


def test_each_heartbeat_begins_the_time_for_which_an_unfinished_run_is_kept_again(store: Store) -> None:
    timed: Any = Timed(store)
    keep_alive = RunKeepAlive(timed)
    for _ in range(3):
        keep_alive.renew("shop", SECONDS)
    assert len(timed.ends) == 3
    ((_, _, seconds),) = {*timed.ends}
    assert seconds == keep_alive.seconds("shop") == SECONDS
    assert keep_alive.seconds("books") == 0, "a run has a record of its own"
    keep_alive.end("shop")
    assert keep_alive.seconds("shop") == 0


def test_a_run_is_kept_for_a_week_unless_its_node_says_otherwise(store: Store) -> None:
    keep_alive = RunKeepAlive(store)
    keep_alive.renew("shop", WEEK_S)
    assert timedelta(seconds=keep_alive.seconds("shop")) == timedelta(weeks=1)
