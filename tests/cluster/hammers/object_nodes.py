"""ObjectNodes: two nodes of a cluster upload the files of one run, one is killed, rows and objects compared.

By hand, with figures: `python -m tests.reliability.object_rounds --nodes --rounds 10 --seed 1`.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.cluster.hammers.hammer_round import OUTPUTS, SharedByNodes, node_arguments
from tests.reliability.file_rounds import FileWorld, compare_files
from tests.reliability.process import ScoopiProcess, orphans
from tests.reliability.rounds import PromiseBrokenError
from tests.server.object_store import Bucket, ObjectStore

NODES = 2
LIMIT_S = 240.0
SETTINGS: Mapping[str, object] = {
    "scoopi.retry.delay": 20,
    "scoopi.retry.attempts": 50,
    "scoopi.loader.robots": "false",
    "scoopi.loader.fetch.errorDelay": 0,
}
LOADING, UPLOADING = "while loading", "while uploading"
MOMENTS = (LOADING, UPLOADING, UPLOADING)


class Members(SharedByNodes, Protocol):
    """The members of a real Hazelcast."""

    def forget(self, run: str) -> object:
        """Remove a run's records."""


class ObjectNodes:
    """One run over two nodes; plays once.

    Args:
        folder: a new one, whose name is that of the bucket, too.
        output: one of `OUTPUTS`: a folder for each node (`local`), or one for both.
    """

    def __init__(
        self,
        files: FileWorld,
        members: Members,
        store: ObjectStore,
        folder: Path,
        source: random.Random,
        output: str,
    ) -> None:
        folder.mkdir(parents=True)
        self._bucket: Bucket = store.bucket(folder.name)
        self._world = files.write(self._bucket.url)
        self._expected = files.rows(self._bucket.url)
        self._members = members
        self._folder = folder
        self._random = source
        self._output = output
        self._run = f"objects-{source.getrandbits(32):x}"
        self._end = time.monotonic() + LIMIT_S

    def play(self, moment: str) -> str:
        """Kill a node at the moment, have the run completed, and compare; what happened, in words.

        Raises:
            PromiseBrokenError: a row or an object is lost or doubled, a code is wrong, or it took too long.
        """
        with self._ended() as nodes:
            nodes += [self._start(number) for number in range(NODES)]
            self._await_moment(moment, lambda: any(each.process.poll() is None for each in nodes))
            chosen = self._random.randrange(NODES)
            hit = nodes[chosen].process.poll() is None
            there = len(self._bucket.paths())
            workers = nodes[chosen].workers()
            nodes[chosen].signal(signal.SIGKILL)
            self._await(nodes[chosen], chosen, (-signal.SIGKILL, 0))
            if left := orphans(workers):
                raise PromiseBrokenError(f"orphans: {left}")
            self._compare(whole=False)
            returns = self._output == "local" or self._random.random() < 0.5
            if returns:
                nodes[chosen] = self._start(chosen)
            for number, node in enumerate(nodes):
                if returns or number != chosen:
                    self._await(node, number, (0,))
        self._compare(whole=True)
        struck = f"killed node {chosen} {moment}" if hit else "the run was over before the kill"
        return f"{self._output}: {struck} with {there} of {len({*self._expected.values()})} objects"

    def _await_moment(self, moment: str, are_running: Callable[[], bool]) -> None:
        """Until a page is committed, or, while uploading, until a random part of the objects is there."""
        all_objects = len({*self._expected.values()})
        awaited = self._random.randint(1, all_objects - 1) if moment == UPLOADING else 0
        while are_running() and not (
            len(self._bucket.paths()) >= awaited if awaited else self._has_committed()
        ):
            time.sleep(0.01)  # neither the store nor a file announces it

    def _has_committed(self) -> bool:
        segments = self._folder.glob(f"*/out/{self._run}/.scoopi/*/segments/*.seg")
        return any(path.stat().st_size > 2000 for path in segments)

    def _start(self, number: int) -> ScoopiProcess:
        folder = self._folder / f"node-{number}"
        folder.mkdir(exist_ok=True)
        out = (folder if self._output == "local" else self._folder / "all") / "out"
        changes = {**SETTINGS, **OUTPUTS[self._output]}

        words = node_arguments(self._members, self._world, self._run, changes, str(out))
        return ScoopiProcess([*words, "-D", f"scoopi.cluster.node=node-{number}"], folder)

    @contextmanager
    def _ended(self) -> Iterator[list[ScoopiProcess]]:
        nodes: list[ScoopiProcess] = []
        try:
            yield nodes
        finally:
            for node in nodes:
                if node.process.poll() is None:
                    node.kill_all()
            self._members.forget(self._run)

    def _await(self, node: ScoopiProcess, number: int, allowed: tuple[int, ...]) -> None:
        try:
            code = node.wait(max(1.0, self._end - time.monotonic()))
        except Exception as error:
            raise PromiseBrokenError(
                f"node {number} did not end: {error!r}\n{self._errors(number)}"
            ) from None
        if code not in allowed:
            raise PromiseBrokenError(f"node {number} ended with {code}\n{self._errors(number)}")

    def _compare(self, whole: bool) -> None:
        outputs = f"*/out/{self._run}/cards*.jsonl"
        compare_files(self._folder, self._expected, whole=whole, kept=self._bucket, outputs=outputs)

    def _errors(self, number: int) -> str:
        return (self._folder / f"node-{number}" / "stderr.txt").read_text()[-3000:]
