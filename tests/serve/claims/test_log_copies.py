"""The logs of attempts and of nodes are copied apart; a copy that fails does not stop what ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import StoreError
from scoopi.model.schedule.run_node import RunNode
from scoopi.model.schedule.stored_bytes import KeptLog
from scoopi.serve.claims.claim import Claim
from scoopi.serve.claims.log_copies import LogCopies
from scoopi.serve.state import State
from tests.serve.work.specs.supervising import ATTEMPT

WITH_NODE = replace(ATTEMPT, nodes=(RunNode(number=2, status="running", fence=3, worker="b"),))


def printed(claim: Claim) -> KeptLog:
    return KeptLog(fence=claim.fence, before=0, data=claim.name.encode())


def test_each_node_has_a_copy_of_its_own_until_those_of_the_attempt_are_removed(tmp_path: Path) -> None:
    store = State(tmp_path).store
    copies = LogCopies(store, printed)
    assert copies.copy(Claim(WITH_NODE))
    assert copies.copy(Claim(WITH_NODE, 2))
    logs = [store.kept_log(WITH_NODE, node) for node in (1, 2)]
    assert logs == [printed(Claim(WITH_NODE)), printed(Claim(WITH_NODE, 2))]
    store.remove_logs([replace(WITH_NODE, has_log=True)])
    assert [store.kept_log(WITH_NODE, node) for node in (1, 2)] == [None, None]


def test_the_copy_of_a_later_claim_stays(tmp_path: Path) -> None:
    store = State(tmp_path).store
    earlier = replace(WITH_NODE, nodes=(replace(WITH_NODE.nodes[0], fence=2),))
    for record in (WITH_NODE, earlier):
        assert LogCopies(store, printed).copy(Claim(record, 2))
    kept = store.kept_log(WITH_NODE, 2)
    assert kept is not None
    assert kept.fence == 3


def test_a_copy_that_fails_is_logged_with_its_claim(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def failing(claim: Claim) -> KeptLog:
        raise StoreError("the store is away")

    assert not LogCopies(State(tmp_path).store, failing).copy(Claim(WITH_NODE, 2))
    assert (
        f"{ATTEMPT.attempt} node 2: its log is not kept for other machines: the store is away" in caplog.text
    )


def test_while_the_store_is_away_one_warning_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    is_away = True

    def sometimes(claim: Claim) -> KeptLog:
        if is_away:
            raise StoreError("the store is away")
        return printed(claim)

    copies = LogCopies(State(tmp_path).store, sometimes)
    for is_away, words in ((True, 1), (True, 1), (False, 1), (True, 2)):
        assert copies.copy(Claim(WITH_NODE)) is not is_away
        assert caplog.text.count("WARNING") == words


def test_without_a_store_that_machines_share_nothing_is_copied(tmp_path: Path) -> None:
    store = State(tmp_path).store
    assert not LogCopies(store).copy(Claim(WITH_NODE))
    assert store.kept_log(WITH_NODE) is None
