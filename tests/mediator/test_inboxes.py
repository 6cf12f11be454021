"""JobInbox, TaskInbox: what other threads pass in arrives in order, and ends a wait."""

from __future__ import annotations

import os
import select
import threading
import time

import pytest

from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import Postponed, TakenJob

WAIT_S = 60.0
PAYLOAD = JobPayload(Locator("a", "towns", "/a.html"), "a")


def test_whatever_is_passed_to_the_job_runner_ends_its_wait_once() -> None:
    inbox = JobInbox()
    passes = (
        inbox.wake,
        lambda: inbox.has_new(["a:80", "b:80"]),
        lambda: inbox.hand_back([]),
        lambda: inbox.postpone(Postponed("a", 1, 10, "timeout")),
        lambda: inbox.adopt([]),
        lambda: inbox.note_sending([TakenJob("a", 1, 0, "a:80", PAYLOAD)]),
        inbox.cancel,
        inbox.stop,
    )
    for each in passes:
        each()
        assert inbox.wait(WAIT_S)
        assert not inbox.wait(0.0)
    assert inbox.take_new_hosts() == ["a:80", "b:80"]
    assert inbox.take_new_hosts() == []
    passed = (inbox.to_hand_back, inbox.postponed, inbox.adopted, inbox.sending)
    assert [len(each) for each in passed] == [1, 1, 1, 1]


def test_a_cancel_takes_no_more_and_a_stop_is_a_cancel_too() -> None:
    cancelled, stopped = JobInbox(), JobInbox()
    cancelled.cancel()
    stopped.stop()
    assert (cancelled.cancelled.is_set(), cancelled.stopped.is_set()) == (True, False)
    assert (stopped.cancelled.is_set(), stopped.stopped.is_set()) == (True, True)


def test_calls_are_made_in_the_loops_thread_in_order() -> None:
    inbox, made = TaskInbox(), list[str]()
    posting = threading.Thread(target=inbox.post, args=(lambda: made.append("a"),))
    posting.start()
    inbox.wait(WAIT_S)
    posting.join(WAIT_S)
    inbox.wake()
    inbox.post(lambda: made.append("b"))
    assert len(inbox) == 3
    assert select.select([inbox.descriptor], [], [], 0)[0]
    inbox.run_posted()
    inbox.clear_wakeup()
    inbox.clear_wakeup()
    assert made == ["a", "b"]
    assert not select.select([inbox.descriptor], [], [], 0)[0]
    inbox.close()


def test_a_wait_without_a_wakeup_takes_its_time() -> None:
    inbox, began = TaskInbox(), time.monotonic()
    inbox.wait(0.05)
    assert time.monotonic() - began >= 0.05
    inbox.close()


def test_a_call_after_the_end_of_the_loop_is_dropped() -> None:
    inbox = TaskInbox()
    inbox.close()
    inbox.post(lambda: None)
    assert not len(inbox)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(inbox.descriptor)
