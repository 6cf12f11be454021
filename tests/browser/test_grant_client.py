"""Further requests of a visit get their grants from its loader, one after another."""

from __future__ import annotations

import queue
import threading
from functools import partial
from multiprocessing import Pipe

from scoopi.browser.grant_client import GrantClient
from scoopi.browser.pool_messages import PartGranted, PartRequested, VisitFailed, receive_reply, send

END = VisitFailed("what", "cause")


def test_requests_are_asked_for_one_by_one_and_get_their_answers() -> None:
    here, there = Pipe()
    grants, given, done = GrantClient(here), list[tuple[str, bool]](), threading.Event()

    def on_grant(url: str, is_allowed: bool) -> None:
        given.append((url, is_allowed))
        if len(given) == 2:
            done.set()

    for url in ("http://a/", "http://b/"):
        grants.ask(PartRequested(url, False), partial(on_grant, url))
    assert receive_reply(there) == PartRequested("http://a/", False)
    assert not there.poll(0.1), "the second waits for the answer to the first"
    send(there, PartGranted(True))
    assert receive_reply(there) == PartRequested("http://b/", False)
    send(there, PartGranted(False))
    assert done.wait(30)
    assert given == [("http://a/", True), ("http://b/", False)]


def test_after_the_end_of_a_visit_nothing_is_asked() -> None:
    here, there = Pipe()
    grants = GrantClient(here)
    grants.end(END)
    grants.ask(PartRequested("http://a/", True), lambda is_allowed: None)
    assert receive_reply(there) == END
    assert not there.poll(0.1)
    there.close()


def test_the_thread_that_asks_ends_with_the_visit() -> None:
    here, there = Pipe()
    grants, threads = GrantClient(here), queue.SimpleQueue[threading.Thread]()
    grants.ask(PartRequested("http://a/", True), lambda is_allowed: threads.put(threading.current_thread()))
    receive_reply(there)
    send(there, PartGranted(True))
    thread = threads.get(timeout=30)
    grants.end(END)
    thread.join(30)
    assert not thread.is_alive()
