"""A change of a process that is repeated is recognized by what it does, whenever that is."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from scoopi.model.schedule.process_change import ProcessChange

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DEPLOYED = ProcessChange("changed", NOW, "ann", "host1", "bundle 1")


def test_a_deployment_that_is_repeated_after_a_crash_does_the_same() -> None:
    assert DEPLOYED.is_repeated_by(replace(DEPLOYED, at=NOW.replace(hour=1), by="bob"))
    assert not DEPLOYED.is_repeated_by(replace(DEPLOYED, reason="bundle 2"))
    assert not DEPLOYED.is_repeated_by(replace(DEPLOYED, change="paused"))
