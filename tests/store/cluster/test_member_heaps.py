"""MemberHeaps: how much heap a real member says that it has, and which node is warned of it."""

from __future__ import annotations

import importlib
import logging
import random
import struct
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scoopi.errors import ClusterError, StoreError
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_heaps import Heap, MemberHeaps, read_metrics
from tests.cluster.grids import members, settings_of
from tests.engine.workspace import wait_until

LIMIT_S = 30.0
HEAP_MB = 80


def test_every_member_says_how_much_of_its_heap_is_free(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with members(tmp_path / "members", number=2, heap=f"{HEAP_MB}m") as started:
        client = ClusterClient(settings_of(started))
        heaps = MemberHeaps(client)
        wait_until(lambda: len(heaps.read()) == 2, "the first figures of both", LIMIT_S)
        for heap in heaps.read():
            assert HEAP_MB * 0.9 < heap.max_bytes / (1 << 20) <= HEAP_MB
            assert 0 < heap.free_bytes < heap.max_bytes
        with caplog.at_level(logging.WARNING, "scoopi"):
            heaps.warn_of(10_000)
            assert not [each for each in caplog.records if each.name.startswith("scoopi")]
            for _ in range(2):
                heaps.warn_of(1_000_000)
        (warning,) = [each.getMessage() for each in caplog.records if each.name.startswith("scoopi")]
        assert warning.startswith("1000000 jobs need about 286 MB of each member's heap, and ")
        assert warning.endswith("give the members more heap (-Xmx), or split the run")
        client.close()


def test_a_member_that_refuses_the_question_is_left_out(cluster: ClusterClient) -> None:
    words: Any = importlib.import_module("hazelcast.protocol.client_message")
    question: Any = importlib.import_module("hazelcast.invocation").Invocation

    def unknown(connection: Any) -> Any:
        buffer = words.create_initial_buffer(words.REQUEST_HEADER_SIZE, 0x7F0100, True)
        return question(words.OutboundMessage(buffer, True), connection=connection)

    assert cluster.ask_members(unknown) == []


@pytest.fixture
def whole(cluster: ClusterClient) -> bytes:
    """What the client's own compressor makes of some figures; the client is loaded by then."""
    metrics: Any = importlib.import_module("hazelcast.metrics")
    figure, compressor = metrics.MetricDescriptor, metrics.MetricsCompressor()
    compressor.add_long(figure("freeHeap", "memory", unit=0), 12345)
    compressor.add_long(figure("size", "map", "name", "books", unit=4), 7)
    compressor.add_double(figure("load", "os"), 0.5)
    compressor.add_long(figure("maxHeap", "memory", unit=0), 99999)
    return bytes(compressor.generate_blob())


def test_figures_are_read_as_members_send_them(whole: bytes) -> None:
    assert read_metrics(whole) == {
        ("memory", "freeHeap"): 12345,
        ("map", "size"): 7,
        ("os", "load"): 0.5,
        ("memory", "maxHeap"): 99999,
    }


def test_units_targets_and_tags_of_figures_are_passed_over_each_by_its_own_bit() -> None:
    same_words, same_unit, same_targets, same_tags = 0b1111, 1 << 4, 1 << 5, 1 << 6
    words = struct.pack(">i", 1) + struct.pack(">iBB", 0, 0, 4) + "heap".encode("utf-16-be")
    first = b"\0" + struct.pack(">iiii", 0, 0, -1, -1) + b"\1\0\0" + b"\0" + struct.pack(">q", 1)
    with_targets = bytes([same_words | same_unit | same_tags, 9, 0]) + struct.pack(">q", 2)
    with_tags = bytes([same_words | same_unit | same_targets, 2, *bytes(16), 0]) + struct.pack(">q", 3)
    with_unit = bytes([same_words | same_targets | same_tags, 4, 0]) + struct.pack(">q", 4)
    figures = first, with_targets, with_tags, with_unit
    for count in range(1, 5):
        assert read_metrics(blob(words, b"".join(figures[:count]), count)) == {("heap", "heap"): count}


def blob(words: bytes, figures: bytes, count: int) -> bytes:
    packed = zlib.compress(words)
    return struct.pack(">hi", 1, len(packed)) + packed + struct.pack(">i", count) + zlib.compress(figures)


def test_bytes_that_are_no_figures_are_refused_whatever_they_are(whole: bytes) -> None:
    source = random.Random(1)
    broken = [whole[:length] for length in range(len(whole))]
    for _ in range(500):
        place = source.randrange(len(whole))
        broken.append(whole[:place] + source.randbytes(2) + whole[place + 2 :])
    refused = 0
    for data in broken:
        try:
            read_metrics(data)
        except ValueError:
            refused += 1
    assert refused > len(broken) / 2, "few changes leave figures that can be read"


def figures_of(free_mb: int, most_mb: int) -> bytes:
    """What a member sends whose heap has that many MB."""
    texts = "memory", "freeHeap", "maxHeap"
    words = struct.pack(">i", len(texts))
    for number, text in enumerate(texts):
        words += struct.pack(">iBB", number, 0, len(text)) + text.encode("utf-16-be")
    figures = b""
    for name, value in ((1, free_mb << 20), (2, most_mb << 20)):
        figures += (
            b"\0" + struct.pack(">iiii", 0, name, -1, -1) + b"\1\0\0" + b"\0" + struct.pack(">q", value)
        )
    return blob(words, figures, 2)


def played(*answers: list[bytes], fault: Exception | None = None) -> MemberHeaps:
    """Heaps of members that answer with these frames."""

    def ask_members(question: object) -> list[list[bytes]]:
        if fault is not None:
            raise fault
        return list(answers)

    client = SimpleNamespace(
        ask_members=ask_members, members=lambda: [str(each) for each in range(len(answers))]
    )
    return MemberHeaps(cast("ClusterClient", client))


def test_of_the_figures_that_a_member_sends_the_latest_count_and_other_frames_are_passed_over() -> None:
    old, new = figures_of(50, 100), figures_of(40, 100)
    heaps = played([b"", old, new, b"no figures"], [b"no figures"], [old])
    assert heaps.read() == [Heap(40 << 20, 100 << 20), Heap(50 << 20, 100 << 20)]


@pytest.mark.parametrize(
    ("free_mb", "jobs", "share_mb"),
    [
        ((500, 300, 400), 2_000_000, 381),
        ((500, 300, 400), 1_500_000, None),
        ((300,), 1_100_000, 314),
        ((300,), 1_000_000, None),
        ((300,), 1 << 20, None),
        ((300,), (1 << 20) + 1, 300),
        ((300, 300), 1_100_000, 314),
        ((1, 1), 300_000, None),
        ((1, 1), 400_000, 114),
    ],
)
def test_the_member_with_the_least_free_heap_has_to_hold_its_part_of_two_copies(
    caplog: pytest.LogCaptureFixture, free_mb: tuple[int, ...], jobs: int, share_mb: int | None
) -> None:
    heaps = played(*([figures_of(each, 1000)] for each in free_mb))
    with caplog.at_level(logging.INFO, "scoopi"):
        heaps.warn_of(jobs)
        heaps.warn_of(jobs)
    expected = (
        f"{jobs} jobs need about {share_mb} MB of each member's heap, "
        f"and {min(free_mb)} of 1000 MB are free: "
        "give the members more heap (-Xmx), or split the run"
    )
    assert caplog.messages == ([expected] if share_mb else [])


@pytest.mark.parametrize("fault", [StoreError("no answer in time"), ClusterError("no answer in time")])
def test_a_heap_that_is_not_known_is_said_and_is_no_error(
    caplog: pytest.LogCaptureFixture, fault: Exception
) -> None:
    with caplog.at_level(logging.INFO, "scoopi"):
        played([b""], fault=fault).warn_of(10**9)
    assert caplog.messages == ["the members' heap is not known: no answer in time"]
    caplog.clear()
    played([b"no figures"]).warn_of(10**9)
    assert caplog.messages == []
