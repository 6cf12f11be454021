"""SharedRows and MergedRows: in a shared folder the rows of each node are published exactly once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.publisher import FrameSource, Publisher, PublishTarget
from scoopi.publishing.run_rows import OwnRows, PublishedRows
from scoopi.publishing.shared_rows import MergedRows, SharedRows
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock
from tests.publishing.leaving import LeavingNode


class Folder:
    """The nodes that share a folder, by name."""

    def __init__(self, store: SettlingStore, path: Path, clock: Clock) -> None:
        self.path = path
        self._store, self._clock = store, clock
        self.nodes: dict[str, LeavingNode] = {}
        self.published: list[str] = []

    def enter(self, name: str, *texts: str) -> LeavingNode:
        """Let a node enter the run, and do jobs."""
        self.nodes[name] = LeavingNode(self._store, self.path, name, self._clock)
        if texts:
            self.nodes[name].work(*texts)
        return self.nodes[name]

    def lose(self, watcher: LeavingNode, *names: str) -> None:
        """Let the named nodes be silent until the watcher takes them for dead."""
        for _ in range(20):
            self._clock.pass_s(1)
            for name in self.nodes.keys() - {*names}:
                self.nodes[name].membership.beat(NodeLoad(0, False))
            watcher.membership.watch()

    def shared(self, node: LeavingNode, is_stopped: Callable[[], bool] = lambda: False) -> SharedRows:
        """What publishes for a node and for dead ones."""
        own = OwnRows(node.publisher(), node.departure, was_over=False)
        return SharedRows(own, self._publisher_of, node.barricade, node.departure, is_stopped)

    def _publisher_of(self, name: str) -> Publisher:
        self.published.append(name)
        return self.nodes[name].publisher()

    def merged(self, node: LeavingNode, is_stopped: Callable[[], bool] = lambda: False) -> MergedRows:
        """What publishes the rows of all nodes."""
        target = PublishTarget(self.path, self.path / ".scoopi" / node.incarnation[0])
        target.node_folder.mkdir(parents=True, exist_ok=True)
        publisher = Publisher(target, node.jobs, (OutputSpec("data.txt", "all.txt"),), self._all_frames())
        return MergedRows(publisher, node.barricade("merge"), node.departure, is_stopped)

    def _all_frames(self) -> FrameSource:
        return FrameSource(lambda: (self.path / ".scoopi").rglob("*.seg"))

    def lines(self) -> list[str]:
        """The rows of the merged file."""
        return sorted((self.path / "all.txt").read_text().split())


@pytest.fixture
def folder(store: SettlingStore, tmp_path: Path, clock: Clock) -> Folder:
    return Folder(store, tmp_path, clock)


def test_a_node_that_is_alone_publishes_its_rows_and_completes_the_run(folder: Folder) -> None:
    ann = folder.enter("a", "rye")
    ended = folder.shared(ann).at_end()
    assert (ann.rows(), ended.complete, ended.awaiting, ended.stopped) == (["rye"], True, (), False)


def test_the_rows_of_a_dead_node_are_published_by_one_of_the_others(folder: Folder) -> None:
    ann, bob, cid = folder.enter("a", "rye"), folder.enter("b", "oat"), folder.enter("c")
    folder.lose(ann, "b")
    cid.departure.leave()
    assert bob.rows() is None
    ended = folder.shared(ann).at_end()
    assert (bob.rows(), ended.complete, ended.awaiting) == (["oat"], True, ())
    assert folder.published == ["b"]


def test_what_another_node_has_published_for_a_dead_one_is_not_published_again(folder: Folder) -> None:
    ann, bob, cid = folder.enter("a"), folder.enter("b", "oat"), folder.enter("c")
    folder.lose(ann, "b")
    cid.departure.leave()
    folder.shared(ann).at_end()
    (folder.path / "b.txt").unlink()
    cid.membership.watch()
    ended = folder.shared(cid).at_end()
    assert (bob.rows(), ended.complete, ended.awaiting) == (None, True, ())


@pytest.mark.parametrize("has_some", [False, True])
def test_a_dead_node_whose_rows_are_not_all_in_the_folder_is_awaited(folder: Folder, has_some: bool) -> None:
    ann, bob = folder.enter("a"), folder.enter("b", "oat", "bran")
    if has_some:
        os.truncate(bob.segment, bob.segment.stat().st_size - 1)
    else:
        bob.segment.unlink()
    folder.lose(ann, "b")
    ended = folder.shared(ann).at_end()
    assert (ended.complete, ended.awaiting) == (False, ("b",))


def test_a_node_with_rows_missing_does_not_complete_the_run(folder: Folder) -> None:
    ann = folder.enter("a", "rye")
    ann.segment.unlink()
    ended = folder.shared(ann).at_end()
    assert (ended.complete, ended.awaiting) == (False, ())
    (record,) = ann.membership.read().values()
    assert (record.state, record.owes_rows) == (NodeStatus.LEFT, True)


def test_a_node_that_is_stopped_while_it_waits_has_published_its_own_rows(folder: Folder) -> None:
    ann = folder.enter("a", "rye")
    folder.enter("b", "oat")
    ended = folder.shared(ann, is_stopped=lambda: True).at_end()
    assert (ann.rows(), ended.stopped, ended.complete) == (["rye"], True, False)


def test_own_rows_are_written_when_the_run_is_over_or_stopped(folder: Folder) -> None:
    ann = folder.enter("a", "rye")
    rows = folder.shared(ann)
    stopped = rows.when_stopped()
    assert stopped is not None
    assert stopped.rows == rows.when_over().rows == {"a.txt": 1}


def test_one_node_merges_the_rows_of_all_and_each_reports_their_number(folder: Folder) -> None:
    ann, bob = folder.enter("a", "rye"), folder.enter("b", "oat", "bran")
    first = folder.merged(ann).at_end()
    assert (folder.lines(), first.complete) == (["bran", "oat", "rye"], True)
    (folder.path / "all.txt").unlink()
    second = folder.merged(bob).at_end()
    assert not (folder.path / "all.txt").exists()
    assert first.published is not None
    assert second.published is not None
    for published in (first.published, second.published):
        assert (published.rows, published.done, published.failed) == ({"all.txt": 3}, 3, 0)
    assert second.complete
    assert not ann.membership.live()


def test_the_merging_node_reports_what_only_it_knows(folder: Folder) -> None:
    ann = folder.enter("a")
    ann.work("rye", failure="no such page")
    published = folder.merged(ann).when_over()
    assert (published.failed, [each.cause for each in published.errors]) == (1, ["no such page"])


def test_while_rows_are_missing_each_node_that_ends_tries_to_merge(folder: Folder) -> None:
    ann, bob = folder.enter("a", "rye"), folder.enter("b", "oat")
    hidden = bob.segment.rename(folder.path / "hidden")
    first = folder.merged(ann).at_end()
    assert first.published is not None
    assert (len(first.published.missing), first.complete) == (1, False)
    hidden.rename(bob.segment)
    second = folder.merged(bob).at_end()
    assert (folder.lines(), second.complete) == (["oat", "rye"], True)


def test_a_node_that_is_stopped_while_another_merges_leaves_without_a_file(folder: Folder) -> None:
    ann, bob = folder.enter("a", "rye"), folder.enter("b")
    ended: list[object] = []

    def compose() -> bytes:
        ended.append(folder.merged(bob, is_stopped=lambda: True).at_end())
        return b""

    ann.barricade("merge").compose_once(compose, 1000)
    (stopped,) = ended
    assert stopped == PublishedRows(None, stopped=True)
    assert set(ann.membership.live()) == {ann.incarnation}


def test_a_stop_merges_nothing(folder: Folder) -> None:
    folder.merged(folder.enter("a", "rye")).when_stopped()
    assert not (folder.path / "all.txt").exists()
