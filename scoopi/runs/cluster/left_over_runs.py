"""LeftOverRuns: starts the retention of runs that are over and whose last node crashed before it did."""

from __future__ import annotations

import logging

from scoopi.configs.configs import Configs
from scoopi.errors import ConfigError, RecordError, StoreError
from scoopi.runs.cluster.cluster_runs import store_of
from scoopi.runs.cluster.run_name import RunName
from scoopi.runs.composed import Composed, read_composed
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import Store
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.runs.run_retention import RunRetention

log = logging.getLogger(__name__)

RETENTION = "scoopi.run.retention"
NOBODY = ""


class LeftOverRuns:
    """Called by the next node of any run; what fails is left to the node after it.

    Args:
        retention_s: for a run of which it cannot be read.
    """

    def __init__(
        self, client: ClusterClient, names: RunName, registry: RunRegistry, retention_s: int
    ) -> None:
        self._client = client
        self._names = names
        self._registry = registry
        self._retention_s = retention_s

    def end(self, run: str, maps: str) -> None:
        """Begin the retention of a run that is OVER in these maps, by its own settings."""
        store = store_of(self._client, maps)
        try:
            composed = self._composed(store)

            def first() -> None:
                if composed is not None:
                    self._names.pass_over(composed, run)
                self._registry.note_over(run, maps)

            seconds = self._seconds(composed)
            RunRetention(store, seconds, first, lambda: self._registry.note_ends(run, maps)).begin()
        except StoreError as error:
            log.warning("run %s: it is over, and its records do not expire yet: %s", run, error.what)
        else:
            log.info(
                "run %s: it is over, and its last node is gone: its records expire in %d s", run, seconds
            )

    def _composed(self, store: Store) -> Composed | None:
        packed = Barricade(store, "setup", NOBODY).composed()
        try:
            return None if packed is None else read_composed(packed)
        except RecordError:  # of another version
            return None

    def _seconds(self, composed: Composed | None) -> int:
        """This one setting is read: another may name a variable that only that run's nodes have."""
        if composed is None:
            return self._retention_s
        try:
            return Configs.from_kept({RETENTION: composed.configs[RETENTION]}, {}).number(RETENTION)
        except (KeyError, ConfigError):
            return self._retention_s
