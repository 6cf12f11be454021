"""The numbers in a RunReport: of jobs, retries, changes, values, times, loads and files."""

from __future__ import annotations

import msgspec


class JobCounts(msgspec.Struct, frozen=True):
    """The number of a run's jobs in each state; `warned` jobs are also counted as `done` or `failed`.

    Attributes:
        left: the jobs that have not ended; None if their number is unknown.
        skipped: jobs whose page robots.txt or a budget did not allow; they do not count as failures.
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


class FileCounts(msgspec.Struct, frozen=True):
    """The number of the downloaded files that rows refer to, and their total size in bytes."""

    number: int = 0
    bytes: int = 0
