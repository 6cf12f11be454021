"""WaitingLoads: pages wait for a grant or a session until the worker drains."""

from __future__ import annotations

import threading

from scoopi.model.handover import Payload
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.model.site_session import Session
from scoopi.steps.loading.load_state import LoadState
from scoopi.worker.fetching import PageLoad
from scoopi.worker.messages import WorkItem
from scoopi.worker.waiting_loads import WaitingLoads

LOCATOR = Locator("n", "g", "http://a.example/")


def load(job: str, session: str = "", outdated: int = 0) -> PageLoad:
    item = WorkItem(job, 1, JobPayload(LOCATOR, job))
    return PageLoad(item, Payload(job, LOCATOR, 1, "", LoadState(outdated=outdated)), session)


def test_a_load_is_taken_once() -> None:
    loads = WaitingLoads(threading.Event())
    assert loads.add(load("a"))
    assert loads.take("a") is not None
    assert loads.take("a") is None


def test_loads_continue_when_their_session_is_newer_or_has_failed() -> None:
    loads = WaitingLoads(threading.Event())
    for each in (load("a", "s"), load("b", "s", 1), load("c", "t"), load("d")):
        loads.add(each)
    assert [each.item.job for each in loads.take_for(Session("s", 1))] == ["a"]
    assert [each.item.job for each in loads.take_for(Session("s", 1, failed="no"))] == ["b"]
    assert [each.item.job for each in loads.take_all()] == ["c", "d"]


def test_nothing_waits_after_the_end() -> None:
    draining = threading.Event()
    loads = WaitingLoads(draining)
    draining.set()
    assert not loads.add(load("a"))
    assert loads.take_all() == []
