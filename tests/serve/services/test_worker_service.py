"""Workers are registered, drained and removed by hand; that of a live `serve` keeps its name and its work."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from scoopi.errors import StateRefusedError, UsageError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.services.worker_service import WorkerService
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import NOW, Deployed


@pytest.fixture
def registry(deployed: Deployed) -> WorkerRegistry:
    """With the worker `s` of a live `serve`."""
    registry = WorkerRegistry(deployed("processes: {p: {executes: external:x}}").store)
    registry.put("s", ("big",), 4, is_external=False, incarnation="i")
    return registry


@pytest.fixture
def service(registry: WorkerRegistry, deployed: Deployed) -> WorkerService:
    return WorkerService(deployed("processes: {p: {executes: external:x}}").store, NOW)


def test_the_worker_of_a_live_serve_takes_attempts_again_as_it_was(
    service: WorkerService, registry: WorkerRegistry
) -> None:
    served = registry.beat("s", "i")
    assert (service.drain("s").state, service.drain("s").since) == ("draining", NOW)
    again = service.put("s", None, None)
    assert again == replace(served, version=again.version)
    assert registry.beat("s", "i").state == "running", "no other process has its name"


def test_groups_and_capacity_of_a_live_serve_are_changed_by_hand(
    service: WorkerService, registry: WorkerRegistry
) -> None:
    changed = service.put("s", ("default", "big"), None)
    assert (changed.groups, changed.capacity) == (("default", "big"), 4.0)
    changed = service.put("s", None, 2.0)
    assert (changed.groups, changed.capacity, changed.is_external) == (("default", "big"), 2.0, False)
    assert registry.beat("s", "i").capacity == 2.0


def test_the_name_of_a_lost_serve_may_become_that_of_another_worker(
    service: WorkerService, registry: WorkerRegistry
) -> None:
    registry.change("s", state="lost", since=NOW)
    put = service.put("s", None, None)
    assert (put.groups, put.capacity, put.is_external, put.state) == (("default",), 1.0, True, "running")
    assert put.beat is not None, "it has to keep sending heartbeats"


@pytest.mark.parametrize("state", ["running", "draining"])
def test_a_worker_is_not_removed_while_a_serve_may_run_its_attempts(
    service: WorkerService, registry: WorkerRegistry, state: str
) -> None:
    registry.change("s", state=state)
    with pytest.raises(StateRefusedError, match=f"worker s is {state}, and belongs to a serve") as refused:
        service.remove("s")
    assert "stop that serve" in refused.value.hint
    assert registry.beat("s", "i").state == state


def test_lost_and_registered_workers_are_removed(service: WorkerService, registry: WorkerRegistry) -> None:
    registry.change("s", state="lost")
    service.put("p", None, None)
    removed: list[WorkerRecord] = [service.remove("s"), service.remove("p")]
    assert [(each.state, each.beat, each.since) for each in removed] == [("lost", None, NOW)] * 2
    with pytest.raises(UsageError, match="unknown worker q"):
        service.remove("q")


def test_a_worker_that_has_signed_off_or_was_removed_is_not_drained_or_removed(
    service: WorkerService, registry: WorkerRegistry
) -> None:
    service.put("p", None, None)
    service.remove("p")
    registry.change("s", state="lost", beat=None)
    for name, condition in (("p", "removed"), ("s", "stopped")):
        with pytest.raises(StateRefusedError, match=f"worker {name} is {condition}"):
            service.drain(name)
        with pytest.raises(StateRefusedError, match=f"worker {name} is {condition}; it runs nothing"):
            service.remove(name)
    with pytest.raises(UsageError, match="unknown worker q"):
        service.drain("q")
    registry.change("s", state="lost", beat=0)
    assert service.drain("s").state == "draining", "it may come back"


@pytest.mark.parametrize("state", ["running", "draining", "lost"])
def test_a_registered_worker_keeps_its_groups_and_its_capacity_unless_they_are_given(
    service: WorkerService, registry: WorkerRegistry, state: str
) -> None:
    service.put("p", ("big", "default"), 3.0)
    registry.change("p", state=state, beat=0, since=NOW)
    again = service.put("p", None, None)
    assert (again.groups, again.capacity, again.state, again.since) == (
        ("big", "default"),
        3.0,
        "running",
        None,
    )
    assert (service.put("p", None, 5.0).groups, service.put("p", ("x",), None).capacity) == (
        again.groups,
        5.0,
    )


def test_a_worker_that_was_removed_is_registered_as_a_new_one(service: WorkerService) -> None:
    service.put("p", ("big",), 3.0)
    service.remove("p")
    again = service.put("p", None, None)
    assert (again.groups, again.capacity, again.state) == (("default",), 1.0, "running")
