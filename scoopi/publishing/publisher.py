"""Publisher: writes the rows of finished jobs to the output files."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO

import msgspec

from scoopi.appenders.segment_reader import SegmentReader, segment_order
from scoopi.errors import AppenderError, RunError
from scoopi.model.job import JobState, retry_id
from scoopi.outputs.output_spec import HELD, OutputSpec
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.changes.key_conflicts import KeyConflicts
from scoopi.publishing.changes.record_changes import RecordChanges
from scoopi.publishing.ended_index import EndedIndex
from scoopi.publishing.expectations.expected_records import Found
from scoopi.publishing.output_file import TEMPORARIES, OutputFile, write_out
from scoopi.publishing.published_files import PublishedFiles
from scoopi.publishing.record_file import RecordFile
from scoopi.publishing.row_tables import RowTables, SegmentSink
from scoopi.publishing.row_tally import Published, RowTally
from scoopi.store.jobs.job_store import JobStore

log = logging.getLogger(__name__)
FRAMES_AT_ONCE = 100
"""Frames that are written between two checks whether there is time left."""
CompareRecords = Callable[[Sequence[OutputSpec], Path], contextlib.AbstractContextManager[RecordChanges]]
"""Compares the records of outputs with those of the last finished run; the path is a work folder."""


class PublishTarget(msgspec.Struct, frozen=True):
    """Where the output files are written.

    Attributes:
        run_folder: the folder of their final names.
        node_folder: this node's hidden folder, where they are until they are complete.
        stream: the stream that the one output is written to instead of a file; None for files.
        stdout: the stream for records whose output is `-`; None if it is closed.
        compare: finds the records to write for groups with `changed`.
        keeps_uploaded: whether copies of uploaded files are kept when the run is over.
    """

    run_folder: Path
    node_folder: Path
    stream: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    compare: CompareRecords | None = None
    keeps_uploaded: bool = False


class FrameSource(msgspec.Struct, frozen=True):
    """Which frames are published.

    Attributes:
        segments: returns the segment files to read.
        owns: whether an incarnation is one of the node whose rows are published; only frames of such an
            incarnation can be reported as missing.
    """

    segments: Callable[[], Iterable[Path]]
    owns: Callable[[str], bool] = lambda incarnation: True


class PublishChecks(msgspec.Struct, frozen=True):
    """What the publisher asks before it changes files.

    Attributes:
        is_lost: whether the store has lost a part of the run; asked before files are renamed.
        is_late: whether no time is left; asked between short steps. If so, the files stay as they were.
        is_partial: whether pages were left out, so that expectations of all records do not apply.
        of_all: takes the counts of this node and returns those of all nodes; see `ExpectedTotals.of_all`.
    """

    is_lost: Callable[[], bool] = lambda: False
    is_late: Callable[[], bool] = lambda: False
    is_partial: Callable[[], bool] = lambda: False
    of_all: Callable[[Found, Collection[str], Callable[[], None]], Found] = lambda found, others, wait: found


NO_CHECKS = PublishChecks()


class Publisher:
    """Writes the rows of finished jobs to the output files.

    Every output of this node is written from scratch, from its segments.

    A frame counts if its (incarnation, fence) is the one that finished its job according to the store; of
    equal frames the first counts. Source: ARCHITECTURE, protocol rules 5 and 6.

    Args:
        frames: the frames to publish; by default those of this node's segments.
        tables: the tables of the outputs that are databases.
    """

    def __init__(
        self,
        target: PublishTarget,
        jobs: JobStore,
        outputs: Sequence[OutputSpec],
        frames: FrameSource | None = None,
        checks: PublishChecks = NO_CHECKS,
        tables: RowTables | None = None,
    ) -> None:
        self._target = target
        self._jobs = jobs
        self._outputs = outputs
        self._frames = frames or FrameSource(lambda: (target.node_folder / "segments").glob("*.seg"))
        self._checks = checks
        self._tables = tables or RowTables((), target.run_folder)

    def publish(self, is_over: bool = True) -> Published:
        """Write all files, load all tables, then rename all files.

        Args:
            is_over: whether every job of the run has ended; if not, outputs with expectations and outputs
                that are only written at the end are left for later.
        Raises:
            AppenderError: the files cannot be written, or no time is left.
            StoreError: the store cannot be read.
            RunError: the store has lost the run; the files stay as they were.
        """
        conflicts = KeyConflicts()
        while (published := self._attempt(is_over, conflicts)) is None:
            log.info("publishing again, as records with one key have different values")
        return published

    def _attempt(self, is_over: bool, conflicts: KeyConflicts) -> Published | None:
        """What was published; None if it is known only now which records with equal keys count."""
        files = self._open_files()
        downloads = PublishedFiles(self._outputs, self._target.run_folder)
        try:
            tally = RowTally(files, self._outputs, downloads)
            with self._compared(conflicts) as changes:
                with self._tables.opened(is_over, self._checks.is_late) as sinks:
                    ended = self._add_frames(tally, sinks, is_over, changes)
                    if conflicts.take_new():
                        return None
                    missing = tuple(ended.unmatched())
                    self._ensure_known()
                    self._ensure_time()
                    is_all = is_over and not self._checks.is_partial()
                    is_whole = is_all and not missing
                    if is_all:
                        tally.judge(lambda found: self._checks.of_all(found, tally.others, self._ensure_time))
                    self._add_changes(tally, changes, ended, is_whole)
                    downloads.publish(self._ensure_time)  # before any row that names them
                    tally.loaded = self._tables.load_rest(tally.is_held)
                self._finish(files, tally, is_over)
                if is_over and not missing and not tally.has_failed:  # else a retry may need the files
                    downloads.clean(keeps_uploaded=self._target.keeps_uploaded)
                if changes is not None and is_whole:
                    held = (spec for spec in self._outputs if tally.is_held(spec))
                    changes.keep(name for spec in held for name in spec.streams)
        except OSError as error:
            raise _unwritable(error, error.filename or self._target.run_folder) from error
        finally:
            for file in files:
                file.discard()
        return tally.published(missing)

    def has_rows(self) -> bool:
        """Whether there is any segment to publish."""
        return any(True for _ in self._frames.segments())

    def peek(self) -> Published:
        """Find out from the store alone which other nodes have ended jobs; reads and writes no file.

        Raises:
            StoreError: the store cannot be read.
        """
        tally = RowTally([], [], PublishedFiles([], self._target.run_folder))
        return tally.published(tuple(self._ended(tally).unmatched()))

    @contextlib.contextmanager
    def _compared(self, conflicts: KeyConflicts) -> Iterator[RecordChanges | None]:
        """The comparison with the last finished run; None if all records are written."""
        compare = self._target.compare
        if compare is None or not any(spec.changes for spec in self._outputs):
            yield None
            return
        with compare(self._outputs, self._target.node_folder) as changes:
            changes.conflicts = conflicts
            yield changes

    def _add_changes(
        self, tally: RowTally, changes: RecordChanges | None, ended: EndedIndex, is_whole: bool
    ) -> None:
        """Add the records that are gone, if all records of the run have been read."""
        if changes is None:
            return
        for part in changes.gone(ended.has) if is_whole else ():
            self._ensure_time()
            tally.add_part(part)
            self._tables.add_last(part)
        tally.changes = changes.counted()
        tally.conflicts = changes.conflicts.causes()

    def _ensure_known(self) -> None:
        """Raise if the store has lost jobs: they look like jobs that never finished."""
        if self._checks.is_lost():
            raise RunError(
                "the run's data is lost from the store: which rows count is not known",
                at=str(self._target.run_folder),
                hint="the published files stay as they are",
            )

    def _ensure_time(self) -> None:
        if self._checks.is_late():
            raise AppenderError(
                "no time was left to publish; the files stay as they were",
                hint="`scoopi resume` (in a cluster: start again) publishes what is committed",
            )

    def _open_files(self) -> list[OutputFile]:
        files: list[OutputFile] = []
        try:
            for left_over in self._target.node_folder.glob(TEMPORARIES):  # of a process that was killed
                left_over.unlink(missing_ok=True)
            for spec in self._outputs:
                if not spec.is_database and not spec.output.startswith(LIST_PREFIX):
                    kind = OutputFile if spec.target is None else RecordFile
                    files.append(kind(spec, self._target.run_folder, self._target.node_folder))
        except OSError as error:
            for file in files:
                file.discard()
            raise _unwritable(error, self._target.node_folder) from error
        return files

    def _finish(self, files: Sequence[OutputFile], tally: RowTally, is_over: bool) -> None:
        for file in files:
            file.finish()
        for file in files:
            spec = file.spec
            if self._target.stream is not None and spec.is_file and not spec.optional:
                write_out(file, self._target.stream)
            elif spec.is_file:
                file.publish(HELD if tally.is_held(spec) else "")
            elif is_over and spec.is_stdout:
                write_out(file, self._target.stdout)
            elif is_over:
                file.publish(HELD if tally.is_held(spec) else "")

    def _add_frames(
        self, tally: RowTally, sinks: Sequence[SegmentSink], is_over: bool, changes: RecordChanges | None
    ) -> EndedIndex:
        """Add the frames that count; return the index of finished jobs, with those frames matched."""
        ended = self._ended(tally)
        if sinks:
            self._ensure_known()  # before rows that seem not to count are skipped for good
        for path in sorted(self._frames.segments(), key=segment_order):
            reader = SegmentReader(path)
            tally.downloads.begin(path)
            node, is_settled = reader.header.node, True
            for sink in sinks:
                sink.begin(node)
            for number, frame in enumerate(reader.frames()):
                if not number % FRAMES_AT_ONCE:
                    self._ensure_time()
                has_files = tally.downloads.has_all(frame)
                counts = has_files and ended.match(frame.job, node, frame.fence)
                is_settled = is_settled and (counts or is_over)
                if counts:
                    is_superseded = frame.state is JobState.FAILED and ended.has(retry_id(frame.job))
                    if changes is not None:
                        frame = changes.of(frame, is_superseded=is_superseded)
                    tally.add(frame, is_superseded)
                    tally.downloads.add(frame)
                if counts and is_settled:
                    for sink in sinks:
                        sink.add(frame, reader.position)
            for sink in sinks:
                sink.flush()
        return ended

    def _ended(self, tally: RowTally) -> EndedIndex:
        """The finished jobs of this node in the store; other incarnations that have some go to the tally."""
        index = EndedIndex()
        owns = cache(self._frames.owns)
        for page in self._jobs.finished.pages():
            self._ensure_time()
            for job, end in page:
                if owns(end.incarnation):
                    index.add(job, end.incarnation, end.fence)
                else:
                    tally.others.add(end.incarnation)
        return index


def _unwritable(error: OSError, at: object) -> AppenderError:
    hint = "free some space or fix the folder, then `scoopi resume` (in a cluster: start again); "
    what = f"the output cannot be written: {error.strerror or error}"
    return AppenderError(what, at=str(at), hint=f"{hint}the rows are safe in its segments")
