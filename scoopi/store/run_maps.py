"""The maps that a run keeps its records in, as its protocol declares them."""

from __future__ import annotations

from scoopi.store.ports import StoreMap

JOBS = StoreMap("jobs", index="state_key", large=True)
PAYLOADS = StoreMap("payloads", large=True)
ENDED = StoreMap("ended")
HOSTS = StoreMap("hosts")
RUN = StoreMap("run")
"""Also the one map of the grid that belongs to no run: there it holds the runs that the cluster knows."""
MEMBERS = StoreMap("members")
RUN_MAPS = (JOBS, PAYLOADS, ENDED, HOSTS, RUN, MEMBERS)
