"""Messages: each comes out of the pipe as it went in, of its own kind; what it leaves out is nothing."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.worker.messages import (
    Assign,
    GrantRequested,
    JobsHandedBack,
    RequestEnded,
    Result,
    Results,
    Sent,
    ToParent,
    ToWorker,
    WorkItem,
)

KINDS = [
    *((ToWorker, kind) for kind in get_args(ToWorker)),
    *((ToParent, kind) for kind in get_args(ToParent)),
]
ITEM = WorkItem("job", 3, JobPayload(Locator("name", "group", "http://here.example/"), "seed"))
RESULT = Result("job", 3, JobState.DONE, 1, b"frame")


def test_no_two_kinds_of_messages_have_one_tag() -> None:
    tags = [kind.__struct_config__.tag for _, kind in KINDS]
    assert len({*tags}) == len(tags)


@pytest.mark.parametrize(
    "message",
    [
        Assign((ITEM,)),
        RequestEnded("job", "host:80"),
        GrantRequested("job", "host:80"),
        Results((RESULT,), {"parser": 0.5}),
    ],
)
def test_a_message_is_decoded_as_what_was_sent(message: msgspec.Struct) -> None:
    union: Any = ToWorker if isinstance(message, Assign) else ToParent
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=union) == message


def test_what_is_left_out_of_a_message_is_nothing() -> None:
    assert (ITEM.grant, ITEM.archived, ITEM.failures, ITEM.tried, ITEM.is_robots) == (
        None,
        False,
        (),
        (),
        False,
    )
    assert (RESULT.children, RESULT.failures, RESULT.rows, RESULT.fault, RESULT.seen) == (
        (),
        (),
        0,
        None,
        None,
    )
    assert Results((), {}).finds == {}


@pytest.mark.parametrize("message", [Sent("job", "host:80", 1.0), JobsHandedBack(("job",))])
def test_a_message_for_the_parent_is_refused_by_a_worker(message: msgspec.Struct) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=ToWorker)
