"""NodeRecord: a heartbeat names the jobs of its node by a few bytes each."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from scoopi.store.nodes.node_record import (
    MARK_BYTES,
    MOST_MARKS,
    NodeLoad,
    NodeRecord,
    NodeScan,
    marked_among,
    marks_of,
)


def test_marked_jobs_are_known_again() -> None:
    marks = marks_of(["a", "b"])
    assert len(marks) == 2 * MARK_BYTES
    assert marked_among(marks, ["a", "b", "c"]) == {"a", "b"}
    assert marked_among(b"", ["a"]) == set()


def test_a_heartbeat_stays_small() -> None:
    marks = marks_of(map(str, range(MOST_MARKS + 10)))
    assert len(marks) == MOST_MARKS * MARK_BYTES
    last = str(MOST_MARKS - 1)
    assert marked_among(marks, [last, str(MOST_MARKS)]) == {last}


def test_nodes_of_other_versions_know_the_marks_of_this_one() -> None:
    assert marks_of(["a", "b"]) == b"".join(blake2b(job, digest_size=6).digest() for job in (b"a", b"b"))
    assert marked_among(marks_of(["a", "b"]), ["b", "c"]) == {"b"}


def test_a_heartbeat_without_the_later_fields_is_that_of_a_node_that_has_done_nothing() -> None:
    written = b'{"node": "ann", "number": 4, "state": "LIVE", "takes": 3, "idle": false}'
    read = msgspec.to_builtins(msgspec.json.decode(written, type=NodeRecord))
    assert {name: read[name] for name in ("owes_rows", "pages", "given", "retry_ms", "failed", "start")} == {
        "owes_rows": False,
        "pages": 0,
        "given": marks_of([]).decode(),
        "retry_ms": 0,
        "failed": 0,
        "start": 0,
    }


def test_a_load_is_that_of_a_node_that_has_loaded_nothing_and_owes_nothing_unless_it_says_so() -> None:
    load = NodeLoad(0, True)
    assert load == NodeLoad(takes=0, idle=True, owes_rows=False, pages=0, given=marks_of([]), retry_ms=0)
    assert not NodeScan(0.0, frozenset(), frozenset(), 1).idle
