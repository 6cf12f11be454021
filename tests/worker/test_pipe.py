"""Messages and the marker: what a worker and its parent share."""

from __future__ import annotations

import os
import threading
import time
from types import SimpleNamespace

import msgspec
import pytest

from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.worker import pipe as pipe_module
from scoopi.worker.crash_marker import CrashMarker, RunningTask
from scoopi.worker.messages import Assign, Ready, RequestEnded, Sent, ToParent, ToWorker, WorkItem
from scoopi.worker.pipe import MessageBuffer, WorkerPipe, pack


def test_messages_come_out_as_they_went_in_however_they_are_cut() -> None:
    messages = [Ready(), Sent("job", "host", 1.5), RequestEnded("job", "host")]
    stream = b"".join(map(pack, messages))
    for step in (1, 2, 3, 7, len(stream)):
        buffer = MessageBuffer()
        bodies = []
        for start in range(0, len(stream), step):
            buffer.feed(stream[start : start + step])
            bodies += list(buffer.bodies())
        assert [msgspec.msgpack.decode(body, type=ToParent) for body in bodies] == messages


def test_a_torn_message_is_no_message() -> None:
    buffer = MessageBuffer()
    buffer.feed(pack(Ready()) + pack(Sent("job", "host", 1.5))[:-1])
    assert len(list(buffer.bodies())) == 1


def test_a_pipe_ends_when_the_parent_closes_it() -> None:
    read_end, parent_writes = os.pipe()
    parent_reads, write_end = os.pipe()
    pipe = WorkerPipe(read_end, write_end)
    item = WorkItem("job", 1, JobPayload(Locator("n", "g", "u"), "seed"))
    os.write(parent_writes, pack(Assign((item,))))
    os.close(parent_writes)

    assert [msgspec.msgpack.decode(body, type=ToWorker) for body in pipe.bodies()] == [Assign((item,))]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(read_end)
    pipe.close()
    assert os.read(parent_reads, 1) == b"", "the parent sees the end of what is sent, too"
    os.close(parent_reads)


def test_the_marker_shows_the_task_that_was_noted_last_and_when() -> None:
    marker = CrashMarker.make()
    other = CrashMarker(os.dup(marker.descriptor))
    assert other.read() == RunningTask()
    before = time.monotonic()
    marker.note("job", "täsk")
    noted = other.read()
    assert noted[:2] == ("job", "täsk")
    assert before <= noted.began <= time.monotonic()
    marker.note("job 2", "t" * 10_000)
    assert other.read().job == "job 2"
    marker.note("job", "täsk")
    assert other.read()[:2] == ("job", "täsk")
    assert other.read() != noted, "the same task a second time is another note"
    marker.clear()
    assert other.read() == RunningTask()
    marker.close()
    other.close()


def test_what_is_sent_after_the_end_is_refused_and_a_parent_that_has_ended_is_noticed() -> None:
    for is_closed_here in (True, False):
        read_end, parent_writes = os.pipe()
        parent_reads, write_end = os.pipe()
        pipe = WorkerPipe(read_end, write_end)
        if is_closed_here:
            pipe.close()
        os.close(parent_reads)
        with pytest.raises(BrokenPipeError):
            pipe.send(Ready())
        if not is_closed_here:
            pipe.close()
        os.close(parent_writes)
        assert list(pipe.bodies()) == []


def test_a_message_that_is_larger_than_the_pipe_is_sent_whole_and_nothing_gets_in_between() -> None:
    read_end, parent_writes = os.pipe()
    parent_reads, write_end = os.pipe()
    pipe = WorkerPipe(read_end, write_end)
    large = Sent("j" * (1 << 20), "host", 1.0)
    threads = [threading.Thread(target=pipe.send, args=(large, Ready())) for _ in range(3)]
    for thread in threads:
        thread.start()
    buffer, heard = MessageBuffer(), list[object]()
    while len(heard) < 6:
        assert buffer.read_from(parent_reads)
        heard += [msgspec.msgpack.decode(body, type=ToParent) for body in buffer.bodies()]
    for thread in threads:
        thread.join()
    assert heard == [large, Ready()] * 3
    pipe.close()
    os.close(parent_writes)
    os.close(parent_reads)
    os.close(read_end)


@pytest.mark.parametrize(("idle_s", "idle_ms"), [(None, None), (1.5, 1500.0)])
def test_the_time_without_a_message_is_that_of_the_caller(
    monkeypatch: pytest.MonkeyPatch, idle_s: float | None, idle_ms: float | None
) -> None:
    waits: list[float | None] = []

    class Polled:
        def register(self, descriptor: int, events: int) -> None:
            """Nothing is found anyway."""

        def poll(self, timeout_ms: float | None) -> list[int]:
            waits.append(timeout_ms)
            return []

    monkeypatch.setattr(pipe_module, "select", SimpleNamespace(poll=Polled, POLLIN=1))
    ends = [*os.pipe(), *os.pipe()]
    bodies = WorkerPipe(ends[0], ends[3]).bodies(idle_s)
    assert next(bodies) == b""
    assert waits == [idle_ms]
    del bodies
    for end in ends[1:]:
        os.close(end)


def test_while_the_parent_says_nothing_an_empty_body_comes_from_time_to_time() -> None:
    read_end, parent_writes = os.pipe()
    parent_reads, write_end = os.pipe()
    pipe = WorkerPipe(read_end, write_end)
    bodies = pipe.bodies(idle_s=0.001)
    assert [next(bodies), next(bodies)] == [b"", b""]
    os.write(parent_writes, pack(Ready()))
    found = next(filter(None, bodies))
    assert found == pack(Ready())[4:]
    os.close(parent_writes)
    assert [body for body in bodies if body] == []
    pipe.close()
    os.close(parent_reads)
