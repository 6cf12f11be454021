"""One page of a run: its job as workers and the store know it, and the frame that it leaves behind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from hashlib import blake2b
from types import MappingProxyType
from typing import Annotated, Any, NewType

import msgspec

from scoopi.model.downloads import FileRef
from scoopi.model.failure import Failure
from scoopi.model.handover import Part
from scoopi.model.locator import Locator

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""A run's name is a folder's name: it never leaves the output folder."""
RunText = Annotated[str, msgspec.Meta(pattern=rf"\A{RUN_NAME.pattern}\Z")]
MapsText = Annotated[str, msgspec.Meta(pattern=rf"\A{RUN_NAME.pattern}(~[0-9a-f]{{8}})?\Z")]
"""What the maps of a life of a run are named by."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that can be added to, and encoded again."""


NodeIncarnation = NewType("NodeIncarnation", str)
"""The random number of one start of a node, or of one creation of a run."""

INCARNATION_BYTES = 8


def new_incarnation() -> NodeIncarnation:
    """16 hex digits that no other start has."""
    import secrets  # late: workers are started before a number is needed

    return NodeIncarnation(secrets.token_hex(INCARNATION_BYTES))


NO_PARENT: Mapping[str, Any] = MappingProxyType({})
"""Of a page that no record leads to."""


class JobState(StrEnum):
    """Where a job stands; WAITING is before another attempt; DONE, FAILED and SKIPPED are its ends."""

    READY = "READY"
    TAKEN = "TAKEN"
    WAITING = "WAITING"
    DONE = "DONE"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    """The site forbids its page to robots; it was not asked for."""


class JobPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker needs to do a job; never changes once put.

    Attributes:
        locator: the page.
        seed: id of the locator's own job (its own id for a seed).
        page: position in the chain of links from the locator, from 1.
        ancestors: 8-byte digests of (group, `page_url`), the locator's page first, this page last.
        skip: names of tasks not to run, because they killed their worker.
        only: names of the tasks to run; empty for all.
        public_only: a public page led here: a host of a private address is not asked.
        parent: values of the record that led here, by column.
        depth: how many links of crawls with a `depth` led here from the locator.
        number: how many pages of its pagination come before it.
        links: how many links led here from the locator, on the way on which the page was found first.
        seen: digests of items of these pages, where its list ends with the page that has no new ones.
    """

    locator: Locator
    seed: str
    page: Count = 1
    ancestors: bytes = b""
    skip: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    public_only: bool = False
    parent: dict[str, Any] = {}
    depth: Count = 0
    number: Count = 0
    links: Count = 0
    seen: bytes = b""


class StoredJob(msgspec.Struct, frozen=True, omit_defaults=True):
    """A job in the store; kept as canonical JSON (sorted keys), compared on its bytes.

    Attributes:
        state_key: the indexed field: `R/<host>` ready, `T/<incarnation>` taken, `W/<incarnation>` waiting,
            `E` ended.
        host: `host:port` in lower case, `file` for local files.
        state: see JobState.
        incarnation: of the node that wrote the record.
        fence: counts the takes of the job.
        lost: how often it was taken back from a dead node.
        payload: the job's payload as msgpack; empty: it is large, and stands in a map of its own.
        tried: the reason of each attempt that failed and was followed by another.
        wait_ms: of a waiting job: it is ready this long after the node of its state key began to wait.
        sent: its request, which must not be sent twice, may have been sent.
    """

    state_key: str
    host: str
    state: JobState
    incarnation: str
    fence: Count = 0
    lost: Count = 0
    payload: bytes = b""
    tried: tuple[str, ...] = ()
    wait_ms: Count = 0
    sent: bool = False


def seed_id(group: str, name: str, url: str, request: str = "", parent: Mapping[str, Any] = NO_PARENT) -> str:
    """The id of a defined locator's job: 32 hex digits.

    Args:
        request: key of its request; empty for a plain GET.
        parent: values of the locator that its page's fields use; each set of them makes a job of its own.
    """
    return _digest("seed", group, name, url, *filter(None, (request,)), *_values(parent))


def link_id(parent: str, group: str, url: str, occurrence: int) -> str:
    """The id of a link's job; `occurrence` counts the equal links before it on the page, from 0."""
    return _digest("link", parent, group, url, str(occurrence))


def once_id(seed: str, group: str, url: str, parent: Mapping[str, Any] = NO_PARENT) -> str:
    """The id of a link's job followed once per locator, whichever page has it; `url` as of `page_url`.

    Args:
        parent: values of the record that leads to it; each set of them makes a job of its own.
    """
    return _digest("once", seed, group, url, *_values(parent))


def run_id(group: str, url: str, parent: Mapping[str, Any] = NO_PARENT) -> str:
    """The id of a page that is read once per run, from a link or a locator; arguments as of `once_id`."""
    return _digest("run", group, url, *_values(parent)) if parent else seed_id(group, group, url)


def retry_id(job: str) -> str:
    """The id of the job that runs the failed tasks of an ended one again.

    Derived, so that a retry which is asked for twice makes one job; and one of its own, so that the rows of
    the tasks that did not fail stay those of the first job.
    """
    return _digest("retry", job)


def ancestor_digest(group: str, url: str, request: str = "") -> bytes:
    """8 bytes for a page in a chain of links; see `page_url` for the URL."""
    parts = (group, url, *filter(None, (request,)))
    return blake2b("\x1f".join(parts).encode(), digest_size=8).digest()


def page_url(url: str, each_fragment: bool = False) -> str:
    """The page itself, whichever of its places the address names.

    Args:
        each_fragment: each fragment is a page of its own, as of an application in the browser.
    """
    page, _, fragment = url.partition("#")
    return f"{page}#{fragment}" if each_fragment and fragment else page


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """The rows and the outcome of one attempt at a job; counts when the store names its fence.

    Attributes:
        job: the job's id.
        fence: of the take that made it.
        state: DONE, FAILED or SKIPPED.
        pages: 1 when the page was loaded, else 0.
        parts: encoded rows by output file.
        failures: one for each failed task; not empty exactly when FAILED.
        warnings: what the tasks warned of.
        payload: of a failed job, so that a retry can make a job of its failed tasks; of one that was tried
            more than once, so that reports can name it.
        tried: the reason of each attempt at the page that failed before this one.
        skipped: why a SKIPPED job was left out; the rule of its site.
        files: which the rows name; they are durable in the node's folder.
    """

    job: str
    fence: int
    state: JobState
    pages: int
    parts: tuple[Part, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[Failure, ...] = ()
    payload: JobPayload | None = None
    tried: tuple[str, ...] = ()
    skipped: Failure | None = None
    files: tuple[FileRef, ...] = ()


def _values(parent: Mapping[str, Any]) -> tuple[str, ...]:
    return (msgspec.json.encode(dict(parent), order="sorted").decode(),) if parent else ()
