"""SharedSessions: what one node makes of a session, all have; one of them logs in."""

from __future__ import annotations

import pytest

from scoopi.mediator.shared_sessions import SharedSessions, merged
from scoopi.model.site_session import Session, SessionChange
from scoopi.store.ports import RUN
from scoopi.store.settling_store import SettlingStore

NAME = "*.a.example"


class Node:
    """A node with what it has learned."""

    def __init__(self, store: SettlingStore, name: str, gone: set[str], is_alone: bool = False) -> None:
        self.shared = SharedSessions(store, [NAME], name, is_alone, gone.__contains__)
        self.learned: list[Session] = []

    def round(self) -> None:
        self.shared.round(self.learned.append)

    def sets(self, version: int, **cookies: str) -> None:
        """Its session has changed to these cookies, all of them new."""
        self.shared.changed(Session(NAME, version, cookies), SessionChange(NAME, "job", cookies))

    def removes(self, version: int, cookie: str) -> None:
        """One of its cookies was removed, and no other is left."""
        self.shared.changed(Session(NAME, version), SessionChange(NAME, "job", {}, (cookie,)))


@pytest.fixture
def gone() -> set[str]:
    """Incarnations that are dead or have left."""
    return set()


@pytest.fixture
def nodes(store: SettlingStore, gone: set[str]) -> tuple[Node, Node]:
    return Node(store, "one", gone), Node(store, "two", gone)


def test_what_one_node_changes_the_other_learns_once(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    one.sets(1, k="line")
    for _ in range(2):
        one.round()
        two.round()
    assert two.learned == [Session(NAME, 1, {"k": "line"})]
    assert one.learned == two.learned  # each as the store has it


def test_changes_of_both_nodes_are_kept(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    one.sets(1, a="1")
    two.sets(1, b="2")
    for _ in range(2):
        one.round()
        two.round()
    assert one.learned[-1].cookies == {"a": "1", "b": "2"}


def test_a_cookie_that_one_node_removes_is_gone_from_all(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    one.sets(1, a="1")
    one.round()
    two.sets(1, b="2")
    two.round()
    one.removes(1, "a")
    two.sets(1, c="3")  # has not heard of that yet
    for _ in range(2):
        one.round()
        two.round()
    assert one.learned[-1].cookies == two.learned[-1].cookies == {"b": "2", "c": "3"}


def test_what_changes_while_the_store_is_written_is_written_next(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    one.sets(1, a="1")
    one.shared.round(lambda session: one.sets(1, b="2"))
    stored = Session(NAME, 1, {"a": "1"})
    assert one.shared.with_own(stored).cookies == {"a": "1", "b": "2"}
    one.round()
    assert one.shared.with_own(stored) == stored
    two.round()
    assert two.learned[-1].cookies == {"a": "1", "b": "2"}


def test_changes_of_this_node_are_added_to_a_session_of_the_same_login_only(
    nodes: tuple[Node, Node],
) -> None:
    one, _ = nodes
    stored = [Session(NAME, version, {"b": "2"}) for version in (1, 2, 3)]
    assert [*map(one.shared.with_own, stored)] == stored
    one.sets(2, a="1")
    both = Session(NAME, 2, {"b": "2", "a": "1"})
    assert [*map(one.shared.with_own, stored)] == [stored[0], both, stored[2]]


def test_a_node_whose_jobs_no_longer_want_to_log_in_does_not_claim_the_login(
    nodes: tuple[Node, Node],
) -> None:
    one, two = nodes
    for node in nodes:
        assert not node.shared.may_log_in(NAME)
    one.shared.release(NAME)
    one.round()
    two.round()
    assert [node.shared.may_log_in(NAME) for node in nodes] == [False, True]


def test_that_a_node_may_log_in_is_said_once(nodes: tuple[Node, Node]) -> None:
    one, _ = nodes
    assert not one.shared.may_log_in(NAME)
    for _ in range(3):
        one.round()
    assert one.shared.may_log_in(NAME)
    assert one.learned == [Session(NAME)]


def test_a_failed_login_stays_failed_when_another_node_changes_the_session(
    nodes: tuple[Node, Node],
) -> None:
    one, two = nodes
    failed = SessionChange(NAME, "job", login="failed", message="no")
    one.shared.changed(Session(NAME, failed="no"), failed)
    one.round()
    two.sets(0, k="line")
    two.round()
    one.round()
    assert one.learned[-1] == Session(NAME, 0, {"k": "line"}, failed="no")


def test_the_session_with_more_logins_wins(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    one.sets(2, k="new")
    one.round()
    two.sets(1, k="old")
    two.round()
    one.round()
    assert one.learned == two.learned == [Session(NAME, 2, {"k": "new"})]


def test_one_node_logs_in_at_a_time(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    assert not one.shared.may_log_in(NAME)
    assert not two.shared.may_log_in(NAME)
    one.round()
    two.round()
    assert one.shared.may_log_in(NAME)
    assert not two.shared.may_log_in(NAME)
    one.shared.release(NAME)
    one.round()
    two.round()
    assert two.shared.may_log_in(NAME)


def test_the_claim_of_a_node_is_void_once_it_is_dead(nodes: tuple[Node, Node], gone: set[str]) -> None:
    one, two = nodes
    one.shared.may_log_in(NAME)
    one.round()
    two.shared.may_log_in(NAME)
    for _ in range(100):  # a slow login keeps its claim, however many heartbeats it takes
        two.round()
    assert not two.shared.may_log_in(NAME)
    gone.add("one")
    two.round()
    assert two.shared.may_log_in(NAME)


def test_a_node_that_returns_learns_that_its_claim_was_taken_over(
    nodes: tuple[Node, Node], gone: set[str]
) -> None:
    one, two = nodes
    one.shared.may_log_in(NAME)
    one.round()
    gone.add("one")
    two.shared.may_log_in(NAME)
    two.round()
    gone.clear()
    one.round()
    assert two.shared.may_log_in(NAME)
    assert not one.shared.may_log_in(NAME)


def test_a_node_whose_login_is_tried_again_at_once_keeps_its_claim(nodes: tuple[Node, Node]) -> None:
    one, _ = nodes
    one.shared.may_log_in(NAME)
    one.round()
    one.shared.release(NAME)
    assert not one.shared.may_log_in(NAME)
    one.round()
    assert one.shared.may_log_in(NAME)


def test_a_node_that_is_alone_logs_in_at_once_and_forgets_that_a_login_failed(
    store: SettlingStore, gone: set[str]
) -> None:
    first = Node(store, "one", gone, is_alone=True)
    assert first.shared.may_log_in(NAME)
    failed = Session(NAME, 1, {"k": "line"}, failed="no")
    first.shared.changed(failed, SessionChange(NAME, "job", failed.cookies))
    first.round()
    resumed = Node(store, "two", gone, is_alone=True)
    resumed.round()
    assert resumed.learned == [Session(NAME, 1, {"k": "line"})]


def test_without_sessions_the_store_is_not_asked(store: SettlingStore) -> None:
    SharedSessions(store, [], "one", True, lambda node: False).round(lambda session: None)
    assert store.count(RUN) == 0


@pytest.mark.parametrize(("stored", "own"), [("locked", ""), ("", "locked")])
def test_a_failed_login_is_known_whichever_of_both_has_seen_it(stored: str, own: str) -> None:
    change = SessionChange(NAME, "job", {"k": "line"})
    both = merged(Session(NAME, 1, {}, failed=stored), Session(NAME, 1, {"k": "line"}, failed=own), change)
    assert both == Session(NAME, 1, {"k": "line"}, failed="locked")


def test_the_session_with_more_logins_wins_whole() -> None:
    change = SessionChange(NAME, "job", {"k": "line"})
    older, newer = Session(NAME, 1, {"a": "1"}), Session(NAME, 2, {"b": "2"})
    assert merged(older, newer, change) == merged(newer, older, change) == newer
