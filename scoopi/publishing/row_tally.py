"""RowTally: adds up the frames that count, with the attempts for their pages, and writes their rows."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobState
from scoopi.model.report.causes import Cause, Causes
from scoopi.model.report.run_counts import ChangeCounts, FileCounts, Retried, Retries
from scoopi.model.text.shown import shown
from scoopi.outputs.output_spec import HELD, OutputSpec
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.expectations.expected_records import ExpectedRecords, Found
from scoopi.publishing.output_file import OutputFile
from scoopi.publishing.published_files import PublishedFiles
from scoopi.publishing.row_tables import Loaded

MOST_NAMED = 100
"""Number of pages with retries that are named."""


class Published(msgspec.Struct, frozen=True):
    """What was published, counted from the frames.

    Attributes:
        rows: final name of each output -> number of rows.
        done, failed, skipped, warned: numbers of jobs; a warned job is also done or failed.
        pages: number of pages that were loaded.
        errors, warnings, skips: their causes, counted.
        missing: ids of ended jobs of this node whose frame is missing or damaged.
        lists: name of each list appender -> encoded rows.
        others: incarnations of other nodes that ended jobs; those nodes publish their rows.
        dropped: name of the output -> number of records dropped as duplicates by key.
        unmet: expectations that are not met, one sentence each; their outputs are held back.
        changes: final name of each output that has only changes -> numbers of records by kind of change.
        retries: attempts after the first.
        files: number and size of the downloaded files that rows name.
    """

    rows: dict[str, int]
    done: int = 0
    failed: int = 0
    warned: int = 0
    pages: int = 0
    errors: tuple[Cause, ...] = ()
    warnings: tuple[Cause, ...] = ()
    missing: tuple[str, ...] = ()
    lists: dict[str, list[bytes]] = msgspec.field(default_factory=dict)
    others: frozenset[str] = frozenset()
    dropped: dict[str, int] = msgspec.field(default_factory=dict)
    unmet: tuple[str, ...] = ()
    changes: dict[str, ChangeCounts] = {}
    retries: Retries = Retries()
    skipped: int = 0
    skips: tuple[Cause, ...] = ()
    files: FileCounts = FileCounts()


class RetryTally:
    """Counts the attempts for pages that were requested more than once, from their frames.

    Used by one thread; its memory is bounded, however many pages were retried.
    """

    def __init__(self) -> None:
        self._jobs = 0
        self._reasons: Counter[str] = Counter()
        self._most: list[tuple[int, str, str]] = []

    def add(self, frame: Frame) -> None:
        """Count the attempts for a job's page before the one that made this frame."""
        if not frame.tried:
            return
        self._jobs += 1
        self._reasons.update(frame.tried)
        if frame.payload is None:
            return
        locator = frame.payload.locator
        named = (len(frame.tried) + 1, f"{locator.name}:{locator.group}", shown(locator.url))
        heapq.heappush(self._most, named)
        if len(self._most) > MOST_NAMED:
            heapq.heappop(self._most)

    def counted(self) -> Retries:
        """The counts; the most frequent reasons, and the pages with the most attempts, come first."""
        most = sorted(self._most, key=lambda one: (-one[0], one[1:]))
        return Retries(
            jobs=self._jobs,
            retries=self._reasons.total(),
            reasons=dict(self._reasons.most_common()),
            most=tuple(Retried(job, url, attempts) for attempts, job, url in most),
        )


class RowTally:
    """Adds up the frames that count, and writes their rows to the files.

    Attributes:
        downloads: the downloaded files that rows name.
        others: see `Published.others`.
        loaded: name of each output that is a table -> what the table has.
        changes: name of each stream -> numbers of records by kind of change.
        conflicts: warnings of records with equal keys, see `KeyConflicts`.
    """

    def __init__(
        self, files: Sequence[OutputFile], outputs: Sequence[OutputSpec], downloads: PublishedFiles
    ) -> None:
        self.downloads = downloads
        self.others: set[str] = set()
        self.loaded: dict[str, Loaded] = {}
        self._all_files = files
        self._files: dict[str, list[OutputFile]] = {}
        for file in files:
            for name in file.spec.written_parts:
                self._files.setdefault(name, []).append(file)
        self._expected = ExpectedRecords(outputs)
        self._lists: dict[str, list[bytes]] = {}
        self._jobs = self._failed = self._skipped = self._warned = self._pages = 0
        self._errors, self._warnings, self._skips = Causes(), Causes(), Causes()
        self._retries = RetryTally()
        self._outputs = outputs
        self.changes: dict[str, ChangeCounts] = {}
        self.conflicts: tuple[Cause, ...] = ()

    def add(self, frame: Frame, is_superseded: bool = False) -> None:
        """Add a frame that counts.

        Args:
            is_superseded: whether the failed tasks of its job were run again as another job, which counts
                instead.
        """
        if not is_superseded:
            self._failed += frame.state is JobState.FAILED
            self._skipped += frame.state is JobState.SKIPPED
            if frame.skipped is not None:
                self._skips.add((frame.skipped,))
            self._jobs += 1
            self._warned += bool(frame.warnings)
            if frame.failures:
                self._errors.add(frame.failures)
        self._pages += frame.pages
        if frame.warnings:
            self._warnings.add(frame.warnings)
        self._retries.add(frame)
        for part in frame.parts:
            if part.output.startswith(LIST_PREFIX):
                self._lists.setdefault(part.output.removeprefix(LIST_PREFIX), []).append(part.body)
                continue
            self.add_part(part)
            self._expected.add(part)

    @property
    def has_failed(self) -> bool:
        """Whether any job has failed tasks, which may be run again."""
        return self._failed > 0

    def add_part(self, part: Part) -> None:
        """Write the rows of a part to the files of its outputs."""
        for file in self._files.get(part.output, ()):
            file.write(part.body, part.rows)

    def judge(self, of_all: Callable[[Found], Found]) -> None:
        """Check the records against their expectations; call it once all frames have been added.

        Args:
            of_all: takes the counts of this node and returns those of all nodes; called only if there are
                expectations.
        """
        if found := self._expected.found():
            self._expected.judge(of_all(found))

    def is_held(self, spec: OutputSpec) -> bool:
        """Whether an output is held back, because its records do not meet their expectations."""
        return spec.schema is not None and spec.schema.name in self._expected.failed

    def published(self, missing: tuple[str, ...]) -> Published:
        """The totals of all frames that were added.

        Args:
            missing: see `Published.missing`.
        """
        files = [file for file in self._all_files if file.rows or not file.spec.optional]
        names = {file: file.spec.file + HELD * self.is_held(file.spec) for file in files}
        rows = {names[file]: file.rows for file in files}
        rows |= {name: loaded.rows for name, loaded in self.loaded.items()}
        dropped = {names[file]: file.dropped for file in files}
        dropped |= {name: loaded.dropped for name, loaded in self.loaded.items()}
        return Published(
            rows=rows,
            done=self._jobs - self._failed - self._skipped,
            failed=self._failed,
            warned=self._warned,
            pages=self._pages,
            errors=self._errors.counted(),
            warnings=(*self._warnings.counted(), *self.conflicts),
            missing=missing,
            skipped=self._skipped,
            skips=self._skips.counted(),
            lists=self._lists,
            others=frozenset(self.others),
            dropped={name: number for name, number in dropped.items() if number},
            unmet=self._expected.unmet,
            changes={
                spec.file + HELD * self.is_held(spec): _sum(self.changes, spec.streams)
                for spec in self._outputs
                if spec.changes and self.changes
            },
            retries=self._retries.counted(),
            files=self.downloads.counts,
        )


def _sum(changes: Mapping[str, ChangeCounts], streams: Sequence[str]) -> ChangeCounts:
    """The sum of the changes of all tasks that write to an output."""
    found = [msgspec.structs.astuple(changes[stream]) for stream in streams]
    return ChangeCounts(*map(sum, zip(*found, strict=True)))
