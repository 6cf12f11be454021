"""The job of one page of a run, as workers and as the store know it, and the frame that it results in."""

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
"""The name of a run is the name of a folder, so it can never lead out of the output folder."""
RunText = Annotated[str, msgspec.Meta(pattern=rf"\A{RUN_NAME.pattern}\Z")]
MapsText = Annotated[str, msgspec.Meta(pattern=rf"\A{RUN_NAME.pattern}(~[0-9a-f]{{8}})?\Z")]
"""The name of a run, with the suffix that distinguishes the store maps of its incarnations."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A count that stays exact in JSON, even when it is incremented."""


NodeIncarnation = NewType("NodeIncarnation", str)
"""The random number, in hex, of one start of a node or of one creation of a run."""

INCARNATION_BYTES = 8


def new_incarnation() -> NodeIncarnation:
    """Return a fresh random number of 16 hex digits."""
    import secrets  # late: workers start without it

    return NodeIncarnation(secrets.token_hex(INCARNATION_BYTES))


NO_PARENT: Mapping[str, Any] = MappingProxyType({})
"""The `parent` of a page that no record leads to."""


class JobState(StrEnum):
    """The state of a job; WAITING precedes another attempt; DONE, FAILED and SKIPPED are final."""

    READY = "READY"
    TAKEN = "TAKEN"
    WAITING = "WAITING"
    DONE = "DONE"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    """The site's robots.txt disallows the page, or a budget is used up; the page was not loaded."""


class JobPayload(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker needs to do a job; never changes once it is in the store.

    Attributes:
        locator: the page.
        seed: the id of the locator's own job (of a seed, its own id).
        page: the position in the chain of links from the locator, from 1.
        ancestors: 8-byte digests of (group, `page_url`), the locator's page first, this page last.
        skip: the names of tasks not to run, because they killed their worker.
        only: the names of the tasks to run; empty for all.
        public_only: whether a public page led here, so that hosts with a private address are not contacted.
        parent: the values of the record that led here, by column.
        depth: the number of links of crawls with a `depth` from the locator to here.
        number: the number of pages of the pagination before this one.
        links: the number of links from the locator to here, on the path by which the page was first found.
        seen: digests of the items of the earlier pages, for a list that ends with the page that has no new
            items.
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
    """A job in the store; stored as canonical JSON (sorted keys), and compared byte by byte.

    Attributes:
        state_key: the indexed field: `R/<host>` ready, `T/<incarnation>` taken, `W/<incarnation>` waiting,
            `E` ended.
        host: `host:port` in lower case, `file` for local files.
        state: see JobState.
        incarnation: of the node that wrote the record.
        fence: the number of times that the job was taken.
        lost: how often it was taken back from a dead node.
        payload: the job's payload as msgpack; empty if it is large and kept in a map of its own.
        tried: the reason of each failed attempt that was followed by another.
        wait_ms: how long a waiting job waits, from the moment when the node in its state key began to wait.
        sent: whether its request, which must not be sent twice, may have been sent.
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
    """Return the id of a defined locator's job: 32 hex digits.

    Args:
        request: the key of its request; empty for a plain GET.
        parent: the values of the locator that the fields of its page use; each set of values makes a job of
            its own.
    """
    return _digest("seed", group, name, url, *filter(None, (request,)), *_values(parent))


def link_id(parent: str, group: str, url: str, occurrence: int) -> str:
    """Return the id of a link's job; `occurrence` is the number of equal links before it on the page."""
    return _digest("link", parent, group, url, str(occurrence))


def once_per_locator_id(seed: str, group: str, url: str, parent: Mapping[str, Any] = NO_PARENT) -> str:
    """Return the id of the job of a link that is followed once per locator; `url` is a result of `page_url`.

    Args:
        parent: the values of the record that leads to it; each set of values makes a job of its own.
    """
    return _digest("once", seed, group, url, *_values(parent))


def once_per_run_id(group: str, url: str, parent: Mapping[str, Any] = NO_PARENT) -> str:
    """Return the id of the job of a page that is read once per run; arguments as in `once_per_locator_id`."""
    return _digest("run", group, url, *_values(parent)) if parent else seed_id(group, group, url)


def retry_id(job: str) -> str:
    """Return the id of the job that runs the failed tasks of an ended job again.

    It is derived, so that two requests for a retry make one job; and it differs, so that the rows of the
    tasks that did not fail stay with the first job.
    """
    return _digest("retry", job)


def ancestor_digest(group: str, url: str, request: str = "") -> bytes:
    """Return the 8-byte digest of a page in a chain of links.

    Args:
        url: a result of `page_url`.
        request: the key of its request; empty for a plain GET.
    """
    parts = (group, url, request) if request else (group, url)
    return blake2b("\x1f".join(parts).encode(), digest_size=8).digest()


def page_url(url: str, each_fragment: bool = False) -> str:
    """Return the address of the page itself, without the fragment that names a place in it.

    Args:
        each_fragment: whether each fragment is a page of its own, as in an application in the browser.
    """
    if "#" not in url:
        return url
    page, _, fragment = url.partition("#")
    return f"{page}#{fragment}" if each_fragment and fragment else page


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """The rows and the outcome of one attempt at a job; valid only if the store names its fence.

    Attributes:
        job: the job's id.
        fence: the job's fence when this attempt took it.
        state: DONE, FAILED or SKIPPED.
        pages: 1 if the page was loaded, else 0.
        parts: the encoded rows, by output file.
        failures: one for each failed task; not empty exactly if the state is FAILED.
        warnings: the warnings of the tasks.
        payload: kept of a failed job, so that a retry can make a job of its failed tasks, and of a job that
            was tried more than once, so that reports can name it.
        tried: the reason of each earlier failed attempt at the page.
        skipped: why a SKIPPED job was skipped: the rule of robots.txt, or the budget; None for other jobs.
        files: the downloaded files that the rows refer to; they are durable in the node's folder.
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
