"""RunReport: the result of a run, as one of its nodes sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from scoopi.errors import UsageError
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_counts import (
    ChangeCounts,
    EntryTime,
    FieldFigures,
    FileCounts,
    JobCounts,
    LoadCounts,
    Retries,
)

ALREADY_OVER = "the run was already over"
"""The `publish_note` of a node that joined after the end of the run."""
LOADER = "loader"
"""The step whose time is spent waiting: many pages load at once, each timed from its request to its body."""


class RunStatus(StrEnum):
    """How a run ended; jobs that failed do not make a run FAILED."""

    DONE = "done"
    """Every job has ended."""
    STOPPED = "stopped"
    """A signal or a cancel stopped the run; jobs are left."""
    FAILED = "failed"
    """The run could not continue, or its rows could not all be published."""


RecordsReader = Callable[[str], Iterator[dict[str, Any]]]


def no_records(name: str) -> Iterator[dict[str, Any]]:
    """Raise an error: the default reader, of a report without access to the run's folder.

    Raises:
        UsageError: always.
    """
    raise UsageError(f"the records of {name} cannot be read", hint="use the report that the run returned")


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
        """Return the records of an output, whatever its format or database: each once, as a dict by column.

        The values have Python types: int, bool, Decimal, date, aware datetime, str, lists of these; None for
        a missing value. From a table, the records of this run are read; of a run on a cluster, those of all
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
