"""forget_run: removes what a cluster or a database keeps of a run of the hammer."""

from __future__ import annotations

from contextlib import closing

from scoopi.configs.groups import ClusterSettings
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.shared_backend import open_backend


def forget_run(settings: ClusterSettings, run: str) -> RunPhase | None:
    """Remove a run's records; how far it had come."""
    with closing(open_backend(settings, "hammer", is_guarded=False)) as backend:
        state = RunRecord(backend.store(run), "hammer").read()
        backend.remove(run)
    return None if state is None else state.phase
