"""ObjectRound: a run that uploads files is hit at random times, resumed, and its rows and objects compared.

By hand, with figures: `python -m tests.reliability.object_rounds --rounds 10 --seed 1`. With `--nodes` two
nodes of a real Hazelcast share each run, and one of them is killed (`tests/cluster/hammers/object_nodes.py`).
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.reliability.file_rounds import SETTINGS, FileRound, FileWorld, compare_files
from tests.reliability.process import ScoopiProcess
from tests.reliability.rounds import PromiseBrokenError, play_rounds
from tests.reliability.world import World
from tests.server.object_store import Bucket, ObjectStore

UPLOADING = " while uploading"
BLOWS = (
    f"kill parent{UPLOADING}",
    f"SIGTERM{UPLOADING}",
    f"SIGINT twice{UPLOADING}",
    "kill parent",
    "kill worker",
)
UPLOAD_MS = 60
"""How long the store takes for an object: eight at a time, so that a blow meets uploads under way."""


class ObjectRound(FileRound):
    """One run that is hit a few times, at best while it uploads; rows and objects are compared."""

    def __init__(
        self, files: FileWorld, world: World, folder: Path, random_source: random.Random, bucket: Bucket
    ) -> None:
        super().__init__(files, world, folder, random_source, workers=2)
        self._bucket = bucket
        self._expected = files.rows(bucket.url)

    def _await_moment(self, scoopi: ScoopiProcess, blow: str, delay_s: float) -> None:
        """A blow during uploads comes when some of the objects that are missing now are there."""
        if not blow.endswith(UPLOADING):
            super()._await_moment(scoopi, blow, delay_s)
            return
        there, all_files = len(self._bucket.paths()), len({*self._expected.values()})
        awaited = self._random.randint(min(there + 1, all_files), all_files)
        while scoopi.process.poll() is None and len(self._bucket.paths()) < awaited:
            time.sleep(0.01)  # the store announces no upload

    def _hit(self, scoopi: ScoopiProcess, blow: str, workers: list[int]) -> str:
        said = super()._hit(scoopi, blow.removesuffix(UPLOADING), workers)
        self._compare(whole=False)
        return f"{said} with {len(self._bucket.paths())} objects"

    def _compare(self, whole: bool) -> None:
        runs = self._runs()
        if len(runs) > 1 or (whole and not runs):
            raise PromiseBrokenError(f"{len(runs)} runs instead of one")
        for run in runs:
            compare_files(run, self._expected, whole=whole, kept=self._bucket)
            copies = [*(run / ".scoopi").glob("*/files/kept/*/*")]
            if whole and copies:
                raise PromiseBrokenError(f"{len(copies)} copies of uploaded files are left")


def play_object_round(
    files: FileWorld, store: ObjectStore, folder: Path, seed: str, blows: Sequence[str] = ()
) -> list[str]:
    """A round in a folder and a bucket of its own; the blows that it got.

    Args:
        folder: its name is that of the bucket, too.
        blows: what the run is hit by; empty: one to three, drawn by the seed.
    """
    source = random.Random(seed)
    folder.mkdir(parents=True)
    bucket = store.bucket(folder.name)
    world = files.write(bucket.url)
    drawn = blows or [source.choice(BLOWS) for _ in range(source.randint(1, 3))]
    files.files.times.clear()
    return ObjectRound(files, world, folder, source, bucket).play(drawn, most_delay_s=4.0).blows


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.object_rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=20, help="each has six cards with a file")
    parser.add_argument("--nodes", action="store_true", help="two nodes of a cluster share each run")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-object-rounds-"))
    files = FileWorld(base / "world", options.pages)
    with files.server, ObjectStore(UPLOAD_MS) as store:
        os.environ |= SETTINGS | store.environment
        if options.nodes:
            return 0 if _play_on_nodes(files, store, base, options.rounds, options.seed) else 1

        def play(number: int, folder: Path) -> str:
            return "; ".join(play_object_round(files, store, folder, f"{options.seed}/{number}"))

        return 0 if play_rounds(base, options.rounds, play) else 1


def _play_on_nodes(files: FileWorld, store: ObjectStore, base: Path, rounds: int, seed: int) -> bool:
    # Imported late: the rounds on one machine need no cluster.
    from tests.cluster.hammers.hammer_grid import HammerGrid
    from tests.cluster.hammers.object_nodes import MOMENTS, ObjectNodes

    with tempfile.TemporaryDirectory(prefix="scoopi-members-") as logs, HammerGrid(Path(logs)) as members:

        def play(number: int, folder: Path) -> str:
            source = random.Random(f"{seed}/{number}")
            files.files.times.clear()
            output = source.choice(["local", "shared", "merged"])
            return ObjectNodes(files, members, store, folder, source, output).play(source.choice(MOMENTS))

        return play_rounds(base, rounds, play)


if __name__ == "__main__":
    sys.exit(main())
