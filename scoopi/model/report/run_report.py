"""RunReport and Progress: the result of a run with its failures by cause, and the progress of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from scoopi.errors import UsageError
from scoopi.model.failure import Failure

MOST_CAUSES = 1000
"""The most causes counted; further ones are counted under OTHER, so that memory stays bounded."""
OTHER = "other causes"
ALREADY_OVER = "the run was already over"
"""The `publish_note` of a node that joined after the end of the run."""
LOADER = "loader"
"""The step whose time is spent waiting: many pages load at once, each timed from its request to its body."""


class Cause(msgspec.Struct, frozen=True):
    """One kind of failure, with the number of its occurrences and the first of them."""

    cause: str
    count: int
    example: Failure


class Causes:
    """Counts failures by cause. Not thread-safe."""

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
        """The causes, the most frequent first."""
        by_count: Mapping[str, int] = self._counts
        order = sorted(by_count, key=lambda cause: (-by_count[cause], cause))
        return tuple(Cause(cause, by_count[cause], self._examples[cause]) for cause in order)


class RunStatus(StrEnum):
    """How a run ended; jobs that failed do not make a run FAILED."""

    DONE = "done"
    """Every job has ended."""
    STOPPED = "stopped"
    """A signal or a cancel stopped the run; jobs are left."""
    FAILED = "failed"
    """The run could not continue, or its rows could not all be published."""


class JobCounts(msgspec.Struct, frozen=True):
    """The number of a run's jobs in each state; `warned` jobs are also counted as `done` or `failed`.

    Attributes:
        left: the jobs that have not ended; None if their number is unknown.
        skipped: jobs whose page is disallowed by robots.txt; they do not count as failures.
    """

    done: int = 0
    failed: int = 0
    warned: int = 0
    left: int | None = 0
    skipped: int = 0


class Retried(msgspec.Struct, frozen=True):
    """A page that was requested more than once."""

    job: str
    url: str
    attempts: int


class Retries(msgspec.Struct, frozen=True):
    """The attempts after the first ones, counted from the frames of ended jobs.

    Attributes:
        jobs: the number of jobs whose page was requested more than once.
        retries: the number of attempts after the first ones.
        reasons: reason of another attempt -> number of such attempts.
        most: the pages with the most attempts.
        used_up: a sentence for each budget that this process has used up.
    """

    jobs: int = 0
    retries: int = 0
    reasons: dict[str, int] = {}
    most: tuple[Retried, ...] = ()
    used_up: tuple[str, ...] = ()


class ChangeCounts(msgspec.Struct, frozen=True):
    """The numbers of records of an output, compared with those of the last finished run.

    Attributes:
        unchanged: records that are the same, and are not written.
        unknown: records that were not read this time, perhaps because pages failed; they do not count as
            gone, and the next run is compared with them, too.
    """

    new: int = 0
    changed: int = 0
    gone: int = 0
    unchanged: int = 0
    unknown: int = 0


class FieldFigures(msgspec.Struct, frozen=True):
    """The numbers of values that one field of records found.

    Attributes:
        filled: records with a value.
        missing: records without a value.
        unreadable: values that could not be converted to the type.
        rejected: elements rejected because of the field.
        example: why one of the values could not be converted; empty if all could.
        at: `file:line:column` of the selector, or else of the field.
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
        seconds: the time summed over all workers, estimated from the timed pages.
        at: `file:line:column` of the entry's selector or script.
    """

    data_def: str
    entry: str
    seconds: float
    at: str = ""


class LoadCounts(msgspec.Struct, frozen=True):
    """The numbers of pages of a task group with `loader: auto`, by what loaded them."""

    http: int = 0
    browser: int = 0


RecordsReader = Callable[[str], Iterator[dict[str, Any]]]


def no_records(name: str) -> Iterator[dict[str, Any]]:
    """The reader of a report without access to the run's folder.

    Raises:
        UsageError: always.
    """
    raise UsageError(f"the records of {name} cannot be read", hint="use the report that the run returned")


class FileCounts(msgspec.Struct, frozen=True):
    """The number of the downloaded files that rows refer to, and their total size in bytes."""

    number: int = 0
    bytes: int = 0


class RunReport(msgspec.Struct, frozen=True):
    """The result of one run, as seen from this node.

    Attributes:
        run: the run's id.
        folder: the run's folder, as the user may type it.
        signal: the number of the signal that stopped the run, or None.
        started: the start, zone-aware.
        ended: the end, zone-aware.
        pages: the number of loaded pages, saved ones included.
        rows: the number of rows by published file name.
        errors: the errors by cause, the most frequent first; `warnings` and `skipped` likewise.
        times: seconds by step, summed over workers.
        tasks: seconds by `group.task`, likewise; parsing a page counts for its first task.
        slowest: the entries of data definitions that took the most time; empty unless entries were timed.
        seconds: the elapsed time from start to end.
        published: whether the files hold every row that this run has committed.
        publish_note: why they do not, or what else to know of them; may be empty.
        missing: the ids of ended jobs whose rows could not be found (exit 5); their payloads are lost with
            them, so that no better name is known.
        resume_hint: the command that resumes the run; empty if nothing is left to do.
        retry_hint: the command that runs failed tasks again; empty if none failed, or if they cannot be.
        empty: a sentence for each data definition that found no row, and each axis that never had a value.
        dropped: the number of records dropped because an earlier one had their key, by name of the output.
        unmet: a sentence for each expectation that is not met; the outputs are held back (exit 4).
        changes: by published name, how the records of a group with `changed` differ from the last run's.
        lists: the rows of each ListAppender by its name, for embedding.
        fields: the numbers of values that the fields of records found.
        retries: the attempts after the first ones.
        loads: by task group, what loaded its pages; only groups with `loader: auto`.
        budgets: a sentence for each budget of pages, time or bytes that was found used up.
        files: the number and size of the downloaded files.
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
        """The records of an output, whatever its format or database: each once, as a dict by column.

        The values have Python types: int, bool, Decimal, date, aware datetime, str, lists of these; None for
            a
        missing value. From a table, the records of this run are read; of a run on a cluster, those of all
        nodes whose folders are on this machine. Records are read as they are consumed, in bounded memory.

        Args:
            name: the output as in the definitions (`books.csv`, `sqlite:books.db#books`), or the name of the
                data definition; `books.csv.rejected.jsonl` for the rejected records.
        Raises:
            UsageError: the run has no such output, or it has rows of a grid.
            RunError: the run's folder is gone.
            ClusterError: the cluster does not respond.
        """
        return self.reader(name)


class Progress(msgspec.Struct, frozen=True):
    """The progress of a run, as seen from this node.

    Attributes:
        done: the number of ended jobs, failed and skipped ones included.
        failed: the number of jobs that failed.
        left: the number of known jobs that have not ended; grows with each link.
        pages: the number of loaded pages.
        waiting_hosts: `host:port` of the hosts that have jobs, but no free grant now.
        waiting_reason: why requests to the first of them are delayed beyond its pace; may be empty.
        seconds: the time since the run, or its resumption, began.
        retrying: the number of jobs that wait at this node for another attempt.
        retry_in_s: seconds until the next of these is due.
        is_complete: whether every page of the run is known, so that `left` does not grow any more.
        skipped: the number of jobs that robots.txt disallows.
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
