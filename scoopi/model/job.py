"""JobPayload, JobRecord: one page of a run, as workers and the store know it."""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2b
from typing import NewType

import msgspec

from scoopi.model.locator import Locator
from scoopi.model.record_fields import Count

NodeIncarnation = NewType("NodeIncarnation", str)
"""The random number of one start of a node, or of one creation of a run."""

INCARNATION_BYTES = 8


def new_incarnation() -> NodeIncarnation:
    """16 hex digits that no other start has."""
    import secrets  # late: workers are started before a number is needed

    return NodeIncarnation(secrets.token_hex(INCARNATION_BYTES))


class JobState(StrEnum):
    """Where a job stands; DONE and FAILED are its ends."""

    READY = "READY"
    TAKEN = "TAKEN"
    DONE = "DONE"
    FAILED = "FAILED"


class JobPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker needs to do a job; never changes once put.

    Attributes:
        locator: the page.
        seed: id of the locator's own job (its own id for a seed).
        page: position in the chain of links from the locator, from 1.
        ancestors: 8-byte digests of (group, URL without fragment), the locator's page first, this
            page last.
        skip: names of tasks not to run, because they killed their worker.
        only: names of the tasks to run; empty for all.
        public_only: a public page led here: a host of a private address is not asked.
    """

    locator: Locator
    seed: str
    page: Count = 1
    ancestors: bytes = b""
    skip: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    public_only: bool = False


class JobRecord(msgspec.Struct, frozen=True):
    """A job in the store; kept as canonical JSON (sorted keys), compared on its bytes.

    Attributes:
        state_key: the indexed field: `R/<host>` ready, `T/<incarnation>` taken, `E` ended.
        host: `host:port` in lower case, `file` for local files.
        state: see JobState.
        incarnation: of the node that wrote the record.
        fence: counts the takes of the job.
        lost: how often it was taken back from a dead node.
        payload: the job's payload as msgpack; empty: it is large, and stands in a map of its own.
    """

    state_key: str
    host: str
    state: JobState
    incarnation: str
    fence: Count = 0
    lost: Count = 0
    payload: bytes = b""


def seed_id(group: str, name: str, url: str) -> str:
    """The id of a defined locator's job: 32 hex digits."""
    return _digest("seed", group, name, url)


def link_id(parent: str, group: str, url: str, occurrence: int) -> str:
    """The id of a link's job; `occurrence` counts the equal links before it on the page, from 0."""
    return _digest("link", parent, group, url, str(occurrence))


def once_id(seed: str, group: str, url: str) -> str:
    """The id of a link's job followed once per locator, whichever page has it; `url` without fragment."""
    return _digest("once", seed, group, url)


def ancestor_digest(group: str, url: str) -> bytes:
    """8 bytes for a page in a chain of links; the URL's fragment does not count."""
    return blake2b(f"{group}\x1f{without_fragment(url)}".encode(), digest_size=8).digest()


def without_fragment(url: str) -> str:
    """The page itself, whichever of its places the address names."""
    return url.partition("#")[0]


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
