"""Sessions: one job logs in, the others wait; another one does if it ends, and every worker learns of it."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.mediator.sessions import Sessions
from scoopi.model.site_session import Session, SessionChange
from scoopi.worker.messages import (
    JobsHandedBack,
    Ready,
    Results,
    Sent,
    SessionChanged,
    SessionRequested,
    SessionTurn,
    SessionUpdate,
)


class Worker:
    """What Sessions sees of a worker."""

    def __init__(self, *jobs: str) -> None:
        self.outstanding = dict.fromkeys(jobs)
        self.link = self
        self.got: list[Any] = []

    def send(self, message: object) -> None:
        self.got.append(message)

    @property
    def turns(self) -> list[str]:
        """The jobs that were to log in."""
        return [message.job for message in self.got if isinstance(message, SessionTurn)]

    @property
    def news(self) -> list[Session]:
        """The sessions that it was given."""
        return [message.session for message in self.got if isinstance(message, SessionUpdate)]


@pytest.fixture
def one() -> Worker:
    return Worker("a", "b")


@pytest.fixture
def two() -> Worker:
    return Worker("c")


@pytest.fixture
def sessions(one: Worker, two: Worker) -> Any:
    workers: Any = [one, two]
    sessions: Any = Sessions(workers)
    for worker, job in ((one, "a"), (one, "b"), (two, "c")):
        sessions.ask(worker, job, "s", 0)
    return sessions


def test_one_job_logs_in_while_the_others_wait(sessions: Any, one: Worker, two: Worker) -> None:
    assert (one.turns, two.turns) == (["a"], [])


def test_after_the_login_every_worker_has_the_session(sessions: Any, one: Worker, two: Worker) -> None:
    sessions.change(SessionChange("s", "a", {"k": "line"}))
    sessions.change(SessionChange("s", "a", login="done"))
    assert one.news[-1] == two.news[-1] == Session("s", 1, {"k": "line"})
    assert (one.turns, two.turns) == (["a"], [])
    two.got.clear()
    sessions.ask(two, "c", "s", 0)
    assert [session.version for session in two.news] == [1]
    late = Worker()
    sessions.greet(late)
    assert late.news == [Session("s", 1, {"k": "line"})]


def test_a_newer_session_needs_another_login(sessions: Any, one: Worker, two: Worker) -> None:
    sessions.change(SessionChange("s", "a", login="done"))
    sessions.ask(two, "c", "s", 1)
    assert two.turns == ["c"]


def test_a_failed_login_stops_all(sessions: Any, one: Worker, two: Worker) -> None:
    sessions.change(SessionChange("s", "a", login="failed", message="no"))
    assert [worker.news[-1].failed for worker in (one, two)] == ["no", "no"]
    sessions.ask(two, "c", "s", 0)
    assert (one.turns, two.turns) == (["a"], [])


def test_a_login_that_may_pass_is_tried_by_the_next_job(sessions: Any, one: Worker) -> None:
    sessions.change(SessionChange("s", "a", login="again", message="later"))
    assert one.turns == ["a", "b"]


def test_if_the_job_ends_or_its_worker_crashes_another_one_logs_in(
    sessions: Any, one: Worker, two: Worker
) -> None:
    sessions.released("a")
    assert one.turns == ["a", "b"]
    sessions.forget(one)
    assert two.turns == ["c"]


def test_of_a_dead_worker_no_waiting_job_logs_in(sessions: Any, one: Worker, two: Worker) -> None:
    sessions.forget(one)
    assert (one.turns, two.turns) == (["a"], ["c"])


def test_a_job_whose_login_is_over_ends_without_an_effect_on_that_of_the_next_one(
    sessions: Any, one: Worker, two: Worker
) -> None:
    sessions.change(SessionChange("s", "a", login="again", message="later"))
    sessions.released("a")
    assert (one.turns, two.turns) == (["a", "b"], [])


def test_what_another_node_has_done_is_learned(sessions: Any, one: Worker, two: Worker) -> None:
    sessions.learn(Session("s", 3, {"k": "line"}))
    assert two.news[-1] == Session("s", 3, {"k": "line"})
    sessions.learn(Session("s", 2, {"k": "stale"}))
    assert two.news[-1].cookies == {"k": "line"}
    sessions.learn(Session("s", 3, {"k": "same age"}))
    assert two.news[-1].cookies == {"k": "same age"}


def test_a_job_waits_on_for_a_session_that_is_as_old_as_the_known_one(
    sessions: Any, one: Worker, two: Worker
) -> None:
    sessions.learn(Session("s", 0, {"k": "line"}))
    sessions.released("a")
    assert one.turns == ["a", "b"]


def test_the_messages_of_workers_are_heeded(sessions: Any, one: Worker, two: Worker) -> None:
    late = Worker("d")
    sessions.handle(late, SessionRequested("d", "s", 0))
    sessions.handle(late, Ready())
    sessions.handle(late, Sent("d", "one.example:80", 1.0))
    assert late.news == [Session("s")]
    sessions.handle(one, JobsHandedBack(("a",)))
    assert one.turns == ["a", "b"]
    sessions.handle(one, Results((), {}))
    sessions.handle(one, SessionChanged(SessionChange("s", "b", login="done")))
    assert [worker.news[-1].version for worker in (one, two)] == [1, 1]


@pytest.mark.parametrize("session", [Session("s", 1), Session("s", failed="wrong password")])
def test_no_waiting_job_logs_in_once_another_node_has_or_has_failed_to(
    sessions: Any, one: Worker, two: Worker, session: Session
) -> None:
    sessions.learn(session)
    sessions.released("a")
    assert (one.turns, two.turns) == (["a"], [])


class Claims:
    """The claims of this node to log in, as the sessions of all nodes have them."""

    def __init__(self) -> None:
        self.claimed: set[str] = set()
        self.changes: list[tuple[Session, SessionChange]] = []

    def may_log_in(self, name: str) -> bool:
        self.claimed.add(name)
        return True

    def release(self, name: str) -> None:
        self.claimed.discard(name)

    def changed(self, session: Session, change: SessionChange) -> None:
        self.changes.append((session, change))

    def with_own(self, session: Session) -> Session:
        """Nothing of this node is missing in it."""
        return session


@pytest.mark.parametrize("login", ["done", "failed", "again"])
def test_other_nodes_may_log_in_once_the_login_of_this_one_has_ended(one: Worker, login: str) -> None:
    workers: Any = [one]
    shared: Any = Claims()
    sessions: Any = Sessions(workers, shared)
    sessions.ask(one, "a", "s", 0)
    assert (one.turns, shared.claimed) == (["a"], {"s"})
    sessions.change(SessionChange("s", "a", login=login))
    assert shared.claimed == set()


def test_a_job_that_asks_for_a_session_nobody_logs_in_to_has_its_turn(one: Worker) -> None:
    workers: Any = [one]
    sessions: Any = Sessions(workers)
    sessions.handle(one, SessionRequested("b", "s", 0))
    assert one.turns == ["b"]


def shared_by(one: Worker) -> tuple[Any, Any]:
    """The sessions of a node that shares them, and its claims."""
    workers: Any = [one]
    shared: Any = Claims()
    return Sessions(workers, shared), shared


def test_a_claim_is_released_when_the_job_that_logs_in_is_gone_and_nobody_else_waits(one: Worker) -> None:
    sessions, shared = shared_by(one)
    sessions.ask(one, "a", "s", 0)
    assert shared.claimed == {"s"}
    sessions.released("a")
    assert shared.claimed == set()
    sessions.released("a")
    sessions.released("unknown")
    assert one.turns == ["a"]


def test_a_change_is_shared_with_other_nodes_with_the_session_that_it_makes(one: Worker) -> None:
    sessions, shared = shared_by(one)
    change = SessionChange("s", "a", {"k": "line"})
    sessions.change(change)
    assert shared.changes == [(Session("s", 0, {"k": "line"}), change)]


def test_a_claim_that_comes_when_nobody_waits_any_more_is_released(one: Worker) -> None:
    sessions, shared = shared_by(one)
    shared.claimed.add("s")
    sessions.learn(Session("s"))
    assert shared.claimed == set()


def test_a_claim_stays_while_a_job_logs_in(one: Worker) -> None:
    sessions, shared = shared_by(one)
    sessions.ask(one, "a", "s", 0)
    sessions.learn(Session("s", 0, {"k": "line"}))
    assert shared.claimed == {"s"}


def test_a_job_waits_until_this_node_has_the_claim(one: Worker) -> None:
    sessions, shared = shared_by(one)
    shared.may_log_in = lambda name: False
    sessions.ask(one, "a", "s", 0)
    assert one.turns == []
    shared.may_log_in = lambda name: True
    sessions.learn(Session("s"))
    assert one.turns == ["a"]


def test_jobs_that_have_left_their_worker_are_passed_over(one: Worker) -> None:
    sessions, _ = shared_by(one)
    sessions.ask(one, "a", "s", 0)
    sessions.ask(one, "gone", "s", 0)
    sessions.ask(one, "b", "s", 0)
    sessions.released("a")
    assert one.turns == ["a", "b"]


@pytest.mark.parametrize(
    ("login", "line"),
    [
        ("done", "logged in to s"),
        ("failed", "s: wrong password; no more requests to this site"),
        ("again", "the login to s did not come to its end, and is tried again: wrong password"),
    ],
)
def test_what_comes_of_a_login_is_logged(
    sessions: Any, caplog: pytest.LogCaptureFixture, login: str, line: str
) -> None:
    caplog.set_level("INFO")
    sessions.change(SessionChange("s", "a", login=login, message="wrong password"))
    assert caplog.messages == [line]


def test_only_the_job_that_logs_in_ends_its_login(sessions: Any, one: Worker, two: Worker) -> None:
    sessions.change(SessionChange("s", "c", {"k": "line"}, login="done"))
    assert [worker.news[-1] for worker in (one, two)] == [Session("s", 0, {"k": "line"})] * 2
    assert one.turns == ["a"]
