"""RunReport and Progress: what a run did, its failures by cause, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from scoopi.errors import UsageError
from scoopi.model.failure import Failure

MOST_CAUSES = 1000
"""Further causes are counted under OTHER, so that memory stays bounded."""
OTHER = "other causes"
ALREADY_OVER = "the run was already over"
"""The `publish_note` of a node that came after the end."""
LOADER = "loader"
"""The step time that is waited for, not worked: many pages load at once, each timed from request to body."""


class Cause(msgspec.Struct, frozen=True):
    """One kind of failure: how often, and its first example."""

    cause: str
    count: int
    example: Failure


class Causes:
    """Counts failures by cause; belongs to one thread."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._examples: dict[str, Failure] = {}

    def add(self, failures: Iterable[Failure]) -> None:
        """Count each failure under its cause."""
        for failure in failures:
            known = failure.cause in self._counts or len(self._counts) < MOST_CAUSES
            cause = failure.cause if known else OTHER
            self._counts[cause] = self._counts.get(cause, 0) + 1
            self._examples.setdefault(cause, failure)

    def counted(self) -> tuple[Cause, ...]:
        """Most frequent first."""
        by_count: Mapping[str, int] = self._counts
        order = sorted(by_count, key=lambda cause: (-by_count[cause], cause))
        return tuple(Cause(cause, by_count[cause], self._examples[cause]) for cause in order)


class RunStatus(StrEnum):
    """How a run ended; jobs that failed do not make a run FAILED."""

    DONE = "done"
    """Every job has ended."""
    STOPPED = "stopped"
    """Stopped by a signal or cancelled; jobs are left."""
    FAILED = "failed"
    """The run could not continue, or its rows could not all be published."""


class JobCounts(msgspec.Struct, frozen=True):
    """Jobs of a run; `warned` jobs are also among `done` or `failed`; None: unknown.

    Attributes:
        skipped: jobs whose pages robots.txt of their site disallows; they do not count as failures.
    """

    done: int = 0
    failed: int = 0
    warned: int = 0
    left: int | None = 0
    skipped: int = 0


class Retried(msgspec.Struct, frozen=True):
    """A page that was asked for more than once."""

    job: str
    url: str
    attempts: int


class Retries(msgspec.Struct, frozen=True):
    """The attempts after the first ones, counted from the frames of ended jobs.

    Attributes:
        jobs: whose page was asked for more than once.
        retries: attempts after the first.
        reasons: why there was another attempt -> how often.
        most: the pages with the most attempts.
        used_up: the budgets that this process has used up, in words.
    """

    jobs: int = 0
    retries: int = 0
    reasons: dict[str, int] = {}
    most: tuple[Retried, ...] = ()
    used_up: tuple[str, ...] = ()


class ChangeCounts(msgspec.Struct, frozen=True):
    """Records of an output, compared with those of the last finished run.

    Attributes:
        unchanged: records that are not written.
        unknown: records that were not read this time, perhaps because pages failed; they do not count as
            gone, and the next run is compared with them.
    """

    new: int = 0
    changed: int = 0
    gone: int = 0
    unchanged: int = 0
    unknown: int = 0


class FieldFigures(msgspec.Struct, frozen=True):
    """What one field of records found.

    Attributes:
        filled, missing: records with a value, and without one.
        unreadable: values that could not be converted to its type.
        rejected: elements that gave no record because of it.
        example: why a value could not be converted; empty if all could.
        at: `file:line:column` of what reads it.
    """

    data_def: str
    field: str
    filled: int = 0
    missing: int = 0
    unreadable: int = 0
    rejected: int = 0
    example: str = ""
    at: str = ""


class EntryTime(msgspec.Struct, frozen=True):
    """How long an entry of a data definition took.

    Attributes:
        entry: such as `item price`, `field price`, `block` or `each`.
        seconds: of all workers, estimated from the pages that were timed.
        at: `file:line:column` of what reads it.
    """

    data_def: str
    entry: str
    seconds: float
    at: str = ""


class LoadCounts(msgspec.Struct, frozen=True):
    """Pages of a task group with `loader: auto`, by what has loaded them."""

    http: int = 0
    browser: int = 0


RecordsReader = Callable[[str], Iterator[dict[str, Any]]]


def no_records(name: str) -> Iterator[dict[str, Any]]:
    """Of a report whose run is not on this machine.

    Raises:
        UsageError: always.
    """
    raise UsageError(f"the records of {name} cannot be read", hint="ask the report that the run returned")


class FileCounts(msgspec.Struct, frozen=True):
    """How many downloaded files rows name, and their size together."""

    number: int = 0
    bytes: int = 0


class RunReport(msgspec.Struct, frozen=True):
    """One run from this node's view.

    Attributes:
        run: the run's id.
        folder: the run's folder, as the user may type it.
        signal: number of the signal that stopped the run, else None.
        started: zone-aware, as `ended`.
        pages: pages loaded, saved ones included.
        rows: rows by published file name.
        errors: by cause, the most frequent first; `warnings` and `skipped` likewise.
        times: seconds by step, summed over workers.
        tasks: seconds by `group.task`, likewise; the first task of a page parses it.
        slowest: the entries of data definitions that took the most time; none unless it was taken.
        seconds: from start to end on the clock.
        published: the files hold every row that this run has committed.
        publish_note: why they do not, or what else to know of them; may be empty.
        missing: ids of ended jobs whose rows could not be found (exit 5); their payloads are gone with
            them, so that no better name is known.
        resume_hint: the command that resumes the run; empty when nothing is left to do.
        retry_hint: the command that runs failed tasks again; empty if none failed, or that cannot be.
        empty: data definitions that found no row, and axes that never had a value, each in a sentence.
        dropped: records whose key another one of the run had before, by the name of their output.
        unmet: expectations that records do not meet, a sentence each; their outputs are held back (exit 4).
        changes: by published name, how the records of a group with `changed` differ from the last run's.
        lists: rows of each ListAppender by its name, for embedding.
        fields: what the fields of records found.
        retries: attempts after the first ones.
        budgets: the budgets of pages, time and bytes that were found used up, in words.
        files: downloaded files that rows name.
        loads: by task group, what has loaded its pages; only groups with `loader: auto`.
        reader: reads the records of an output, for `records`.
    """

    run: str
    folder: str
    status: RunStatus
    started: datetime
    ended: datetime
    signal: int | None = None
    jobs: JobCounts = JobCounts()
    pages: int = 0
    rows: dict[str, int] = {}
    errors: tuple[Cause, ...] = ()
    warnings: tuple[Cause, ...] = ()
    times: dict[str, float] = {}
    tasks: dict[str, float] = {}
    slowest: tuple[EntryTime, ...] = ()
    seconds: float = 0.0
    published: bool = True
    publish_note: str = ""
    missing: tuple[str, ...] = ()
    resume_hint: str = ""
    retry_hint: str = ""
    empty: tuple[str, ...] = ()
    dropped: dict[str, int] = {}
    unmet: tuple[str, ...] = ()
    changes: dict[str, ChangeCounts] = {}
    lists: dict[str, tuple[Any, ...]] = {}
    fields: tuple[FieldFigures, ...] = ()
    retries: Retries = Retries()
    skipped: tuple[Cause, ...] = ()
    loads: dict[str, LoadCounts] = {}
    budgets: tuple[str, ...] = ()
    files: FileCounts = FileCounts()
    reader: RecordsReader = no_records

    def records(self, name: str) -> Iterator[dict[str, Any]]:
        """The records of an output, whatever its format or database, each once and as a dict by column.

        They have Python's types: int, bool, Decimal, date, aware datetime, str, lists of these; None for a
        missing value. Of a table they are those of this run, of a cluster's run those of all nodes whose
        folders are on this machine. They are read as the caller takes them, in bounded memory.

        Args:
            name: as the definitions have it (`books.csv`, `sqlite:books.db#books`), or the name of the data
                definition; `books.csv.rejected.jsonl` gives what was rejected.
        Raises:
            UsageError: the run has no such output, or it has rows of a grid.
            RunError: the run's folder is gone; ClusterError: the cluster does not answer.
        """
        return self.reader(name)


class Progress(msgspec.Struct, frozen=True):
    """A run as it stands now, seen from this node.

    Attributes:
        done: jobs ended so far, failed and skipped ones included.
        failed: jobs ended as failed; `skipped` those that robots.txt disallows.
        left: jobs known and not ended; grows with each link.
        pages: pages loaded so far.
        waiting_hosts: `host:port` of hosts that have jobs and no free grant now.
        waiting_reason: what keeps the first of them from being asked as usual; may be empty.
        seconds: since the run (or its resuming) began.
        retrying: jobs that wait at this node for another attempt; the next is due in `retry_in_s` seconds.
        is_complete: every page of the run is known: `left` does not grow any more.
    """

    done: int = 0
    failed: int = 0
    left: int = 0
    pages: int = 0
    waiting_hosts: tuple[str, ...] = ()
    waiting_reason: str = ""
    seconds: float = 0.0
    retrying: int = 0
    retry_in_s: float = 0.0
    is_complete: bool = False
    skipped: int = 0
