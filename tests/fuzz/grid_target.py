"""GridTarget: damaged and foreign records in a run's maps; every reader gives a value or a named error."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scoopi.configs.groups import FetchLimits
from scoopi.errors import ScoopiError
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.politeness.host_shares import HostShares, OwnNode, ShareTimes
from scoopi.runs.cluster.run_survey import RunSurvey
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import RUN_MAPS, Change, Outcome, Store, StoreMap
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.runs.run_record import RunCancel, RunRecord
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

_MEMORY = Path("/dev/shm")
"""Each input has a store of its own, which nobody needs later: on a disk, most of the time is syncing."""
_HOSTS = ("a.test:80", "b.test:80", "file")
_LONGEST_MESSAGE = 2000
_GARBAGE = (
    *(
        b"",
        b"null",
        b"[]",
        b"{}",
        b"0",
        b'""',
        b"\x80\x04\x95",
        b"\xff\xfe",
        b"{" * 2000,
        b'{"state_key":"R/x"}',
        b"true",
    ),
    *(
        b"1e999",
        b'{"a":' * 500,
        b"\x00" * 100,
        b'"\\ud800"',
        b"-1",
        b"[null]",
        b"\xc1",
        b"\xdf\xff\xff\xff\xff",
    ),
)
_ODD_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        2**31,
        2**63,
        10**30,
        1.5,
        "",
        "x" * 10_000,
        "../../x",
        "R/",
        "E",
        "\u0000",
        [],
        {},
        [None],
    ),
    *({"a": 1}, "T/n1", "READY", "OVER", float("1e308")),
)
_ODD_KEYS = (
    "",
    "x",
    "../../etc/passwd",
    "\u0000",
    "run",
    "canary",
    "composed/setup",
    "a" * 5000,
    "runs/../x",
    "ende/1",
)


class DamagedStore:
    """A store in which some records are damaged, and some that nobody of the run has put.

    Damaged records can be compared, changed and deleted as any other.
    """

    def __init__(self, inner: Store, damaged: dict[tuple[StoreMap, str], bytes]) -> None:
        self._inner = inner
        self._damaged = damaged

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        found = self._inner.get_all(store_map, keys)
        return found | {
            key: self._damaged[store_map, key] for key in keys if (store_map, key) in self._damaged
        }

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        return [self._put(store_map, key, value) for key, value in records]

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        return [self._cas(store_map, change) for change in changes]

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        for key in keys:
            self._damaged.pop((store_map, key), None)
        self._inner.delete_all(store_map, keys)

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        return self._inner.delete_same_all(store_map, records)

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        return self._inner.move_all(source, target, changes)

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        self._inner.delete_below(store_map, key)

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        found = dict(self._inner.scan(store_map, index_value, limit, after))
        if index_value is None or found:
            found |= {
                key: value for (of, key), value in self._damaged.items() if of is store_map and key > after
            }
        return sorted(found.items())[:limit]

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        return [pair for value in index_values for pair in self.scan(store_map, value, limit, after)]

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        return self._inner.count(store_map, index_value)

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        self._inner.set_ttl_all(store_map, keys, seconds)

    def close(self) -> None:
        self._inner.close()

    def _put(self, store_map: StoreMap, key: str, value: bytes) -> Outcome:
        damaged = self._damaged.get((store_map, key))
        if damaged is not None:
            return Outcome(False, damaged)
        return self._inner.put_if_absent_all(store_map, [(key, value)])[0]

    def _cas(self, store_map: StoreMap, change: Change) -> Outcome:
        damaged = self._damaged.get((store_map, change.key))
        if damaged is None:
            return self._inner.cas_all(store_map, [change])[0]
        if damaged != change.expected:
            return Outcome(False, damaged)
        self._damaged[store_map, change.key] = change.new
        return Outcome(True, change.new)


class GridTarget:
    """A run of three nodes in the middle of its work; each of its readers is called once."""

    name = "grid"
    host_timeout_s = 30.0

    def __init__(self, seed: int) -> None:
        self._seed = seed
        place = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        self._folder = Path(tempfile.mkdtemp(prefix="scoopi-fuzz-", dir=place))
        self._run = self._folder / "run.db"
        store = SettlingStore(SqliteStore(self._run))
        _begin(store)
        self._records = [
            (name, key, value) for name in RUN_MAPS for key, value in store.scan(name, None, 1000)
        ]
        store.close()

    def feed(self, number: int) -> bool:
        """As `Target`; refused when any reader raises an error of Scoopi's."""
        path = self._folder / "damaged.db"
        shutil.copy(self._run, path)
        store = SettlingStore(DamagedStore(SqliteStore(path), self._damaged(number)))
        try:
            refused = [_refusal(reader) for reader in _readers(store)]
        finally:
            store.close()
            for left in self._folder.glob("damaged.db*"):
                left.unlink()
        assert all(len(refusal) < _LONGEST_MESSAGE for refusal in refused)
        return not any(refused)

    def shown(self, number: int) -> bytes:
        """The damaged records, one a line."""
        damaged = self._damaged(number)
        return b"\n".join(
            f"{name} {key!r} ".encode() + repr(value).encode() for (name, key), value in damaged.items()
        )

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _damaged(self, number: int) -> dict[tuple[StoreMap, str], bytes]:
        chance = random.Random(f"{self._seed}-{number}")
        damaged = {}
        for _ in range(chance.choice((1, 1, 2, 4))):
            name, key, value = chance.choice(self._records)
            if chance.random() < 0.2:
                key = chance.choice(_ODD_KEYS)
            damaged[name, key] = _damage(value, chance)
        return damaged


def _refusal(reader: Callable[[], object]) -> str:
    """What the reader says is wrong; empty when it accepts what it reads."""
    try:
        reader()
    except ScoopiError as error:
        return str(error)
    return ""


def _damage(value: bytes, chance: random.Random) -> bytes:
    """Garbage, another shape, another value of one field, a cut or a flipped bit."""
    kind = chance.randrange(5)
    if kind == 0:
        return chance.choice(_GARBAGE)
    if kind == 1:
        return chance.randbytes(chance.randrange(1, 200))
    at = chance.randrange(len(value) + 1)
    if kind == 2 or not value.startswith(b'{"'):
        return value[:at] if chance.random() < 0.5 else value[:at] + chance.randbytes(3) + value[at:]
    fields: dict[str, Any] = json.loads(value)
    field = chance.choice(list(fields))
    if chance.random() < 0.2:
        del fields[field]
    else:
        fields[field] = chance.choice(_ODD_VALUES)
    return json.dumps(fields, sort_keys=True).encode()


def _begin(store: Store) -> None:
    """Records of every map: jobs in each state, small and large payloads, three nodes, two shares."""
    run = RunRecord(store, "n1")
    run.create("r1")
    Barricade(store, "setup", "n1").compose_once(lambda: b"composed", timeout_ms=1000)
    run.mark_seeded()
    for number, node in enumerate(("n1", "n2", "n3")):
        Membership(store, node, f"node-{number}").beat(NodeLoad(number, idle=False))
    jobs = JobStore(store, "n1")
    jobs.put([_job(number) for number in range(12)])
    taken = jobs.take(_HOSTS[0], 3)
    jobs.finished.end([Ending(job.id, job.fence, JobState.DONE) for job in taken[:2]])
    JobStore(store, "n2").take(_HOSTS[1], 2)
    shares = _shares(store, "n1")
    shares.poll(_HOSTS, everything=True)
    shares.settle(_HOSTS[:2], _HOSTS[:2])
    RunCancel(store, "n2").ask()
    RunRegistry(store, lambda _: None, lambda _: None, "n1").enter("shop")


def _job(number: int) -> NewJob:
    url = f"http://{_HOSTS[number % 3]}/{number}" + "x" * (2000 if number % 4 == 0 else 0)
    return NewJob(
        f"job-{number}", _HOSTS[number % 3], JobPayload(Locator("l", "g", url), seed=f"job-{number}")
    )


def _shares(store: Store, node: str) -> HostShares:
    membership = Membership(store, node, node)
    own = OwnNode(lambda: False, lambda: membership.last_scan, lambda _: 0)
    return HostShares(store, node, FetchLimits(), ShareTimes(turn_ms=2000, gap_ms=15_000), own)


def _readers(store: Store) -> Sequence[Callable[[], object]]:
    """What nodes and `scoopi status` ask a store."""
    jobs, membership, run = JobStore(store, "n1"), Membership(store, "n1", "node-0"), RunRecord(store, "n1")
    shares, cancel = _shares(store, "n1"), RunCancel(store, "n1")
    registry = RunRegistry(store, lambda _: None, lambda _: None, "n1")
    return (
        *(run.read, run.has_lost_any, lambda: run.has_lost("r1"), cancel.listen, cancel.is_asked),
        *(
            lambda: membership.beat(NodeLoad(9, idle=False)),
            membership.watch,
            membership.live,
            membership.read,
        ),
        *(Barricade(store, "setup", "n1").composed, jobs.hosts, jobs.taken, jobs.left, jobs.nothing_left),
        *(lambda: jobs.take(_HOSTS[0], 5), lambda: jobs.take(_HOSTS[1], 5), lambda: jobs.take_back("n2")),
        *(
            lambda: [
                jobs.finished.end([Ending(job.id, job.fence, JobState.DONE)])
                for job in jobs.take(_HOSTS[2], 2)
            ],
        ),
        *(
            jobs.finished.bury,
            lambda: list(jobs.finished.pages()),
            lambda: jobs.finished.ended([f"job-{number}" for number in range(12)]),
        ),
        *(lambda: shares.poll(_HOSTS, everything=True), lambda: shares.settle(_HOSTS, _HOSTS)),
        *(
            CompletionCheck(run, jobs, membership, "n1", lambda: NodeLoad(9, idle=True)).is_over,
            run.to_ending,
            run.to_over,
        ),
        *(RunSurvey(store, "r1", heartbeat_ms=1).figures, registry.kept, lambda: registry.enter("shop")),
        *(lambda: registry.note_over("shop", "shop"), lambda: registry.sweep(lambda *_: None)),
    )
