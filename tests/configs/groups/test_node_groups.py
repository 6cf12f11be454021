"""Settings of a node: its workers."""

from __future__ import annotations

from scoopi.configs import groups
from scoopi.configs.configs import Configs
from scoopi.configs.machine import cores

DEFAULTS = Configs.from_composed({})


def test_workers_are_the_cores_or_the_number() -> None:
    assert groups.WorkerSettings.of(DEFAULTS) == groups.WorkerSettings(cores(), 32)
    assert groups.WorkerSettings.of(Configs.from_composed({"scoopi.workers": "0"})).workers == 0
