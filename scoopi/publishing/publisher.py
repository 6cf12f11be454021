"""Publisher: writes the frames that the store names to the output files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import IO

import msgspec

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.errors import AppenderError, RunError
from scoopi.model.job import Frame, JobState
from scoopi.model.report.run_report import Cause, Causes
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.ended_index import EndedIndex
from scoopi.publishing.output_file import TEMPORARIES, OutputFile, OutputSpec
from scoopi.store.pages.job_store import JobStore


class Published(msgspec.Struct, frozen=True):
    """What the published files hold, counted from their frames.

    Attributes:
        rows: by final file name.
        done, failed, warned: jobs; a warned job is also done or failed.
        pages: pages that were loaded.
        errors, warnings: by cause.
        missing: ids of ended jobs of this node whose frame is not whole.
        lists: encoded rows of list appenders, by their name.
        others: incarnations of other nodes that ended jobs; their rows are theirs to publish.
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


class PublishTarget(msgspec.Struct, frozen=True):
    """Where the files are written.

    Attributes:
        run_folder: where they get their final names.
        node_folder: this node's hidden folder, which has them until they are complete.
        stream: where the one output is written instead of a file; None for files.
    """

    run_folder: Path
    node_folder: Path
    stream: IO[bytes] | None = None


class FrameSource(msgspec.Struct, frozen=True):
    """Which frames are published.

    Attributes:
        segments: the segment files to read.
        owns: whether an incarnation is one of this node's: only its frames can be missing.
    """

    segments: Callable[[], Iterable[Path]]
    owns: Callable[[str], bool] = lambda incarnation: True


class PublishChecks(msgspec.Struct, frozen=True):
    """What is asked before files change.

    Attributes:
        is_lost: before they are renamed: whether the store has lost a part of the run.
        is_late: between two steps, each of which is short; then the files stay as they were.
    """

    is_lost: Callable[[], bool] = lambda: False
    is_late: Callable[[], bool] = lambda: False


NO_CHECKS = PublishChecks()


class Publisher:
    """Writes every output of this node again from its segments.

    A frame counts if the store has its (incarnation, fence) as those that finished its job; of equal
    frames the first counts. Source: ARCHITECTURE, protocol rules 5 and 6.

    Args:
        frames: which frames are published; by default those of this node's segments.
    """

    def __init__(
        self,
        target: PublishTarget,
        jobs: JobStore,
        outputs: Sequence[OutputSpec],
        frames: FrameSource | None = None,
        checks: PublishChecks = NO_CHECKS,
    ) -> None:
        self._target = target
        self._jobs = jobs
        self._outputs = outputs
        self._frames = frames or FrameSource(lambda: (target.node_folder / "segments").glob("*.seg"))
        self._checks = checks

    def publish(self) -> Published:
        """Write all files, then rename all.

        Raises:
            AppenderError: the files cannot be written, or it is late.
            StoreError: the store cannot be read.
            RunError: the store has lost the run; the files stay as they were.
        """
        files = self._open_files()
        try:
            tally = _Tally(files)
            missing = self._add_frames(tally)
            self._ensure_known()
            self._ensure_time()
            self._finish(list(files.values()))
        except OSError as error:
            raise AppenderError(
                f"the output cannot be written: {error.strerror or error}",
                at=str(error.filename or self._target.run_folder),
                hint="make room or fix the folder, then `scoopi resume` (in a cluster: start again); the "
                "rows are safe in its segments",
            ) from error
        finally:
            for file in files.values():
                file.discard()
        return tally.published(missing)

    def has_rows(self) -> bool:
        """Whether there is any segment to publish from."""
        return any(True for _ in self._frames.segments())

    def look(self) -> Published:
        """What is known without a segment of this node: which others have finished jobs; writes nothing.

        Raises:
            StoreError: the store cannot be read.
        """
        tally = _Tally({})
        return tally.published(tuple(self._ended(tally).unmet()))

    def _ensure_known(self) -> None:
        """Jobs that the store has lost look like jobs that never finished."""
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

    def _open_files(self) -> dict[str, OutputFile]:
        files: dict[str, OutputFile] = {}
        try:
            for left_over in self._target.node_folder.glob(TEMPORARIES):  # of a process that was killed
                left_over.unlink(missing_ok=True)
            for spec in self._outputs:
                if not spec.output.startswith(LIST_PREFIX):
                    files[spec.output] = OutputFile(spec, self._target.run_folder, self._target.node_folder)
        except OSError as error:
            for file in files.values():
                file.discard()
            raise AppenderError(
                f"the output cannot be written: {error.strerror or error}",
                at=str(self._target.node_folder),
                hint="make room or fix the folder, then `scoopi resume` (in a cluster: start again)",
            ) from error
        return files

    def _finish(self, files: Sequence[OutputFile]) -> None:
        for file in files:
            file.finish()
        for file in files:
            if self._target.stream is not None:
                _give(file, self._target.stream)
            else:
                file.publish()

    def _add_frames(self, tally: _Tally) -> tuple[str, ...]:
        """Add the frames that count; the jobs that have none."""
        ended = self._ended(tally)
        for path in sorted(self._frames.segments()):
            reader = SegmentReader(path)
            for frame in reader.frames():
                self._ensure_time()
                if ended.meet(frame.job, reader.header.node, frame.fence):
                    tally.add(frame)
        return tuple(ended.unmet())

    def _ended(self, tally: _Tally) -> EndedIndex:
        """The finished jobs of this node in the store; notes which other incarnations have finished jobs."""
        index = EndedIndex()
        owns = cache(self._frames.owns)
        for page in self._jobs.ended_pages():
            self._ensure_time()
            for job, end in page:
                if owns(end.incarnation):
                    index.add(job, end.incarnation, end.fence)
                else:
                    tally.others.add(end.incarnation)
        return index


class _Tally:
    """Adds up the frames that count."""

    def __init__(self, files: dict[str, OutputFile]) -> None:
        self.others: set[str] = set()
        self._files = files
        self._lists: dict[str, list[bytes]] = {}
        self._jobs = self._failed = self._warned = self._pages = 0
        self._errors, self._warnings = Causes(), Causes()

    def add(self, frame: Frame) -> None:
        self._failed += frame.state is JobState.FAILED
        self._jobs += 1
        self._pages += frame.pages
        self._warned += bool(frame.warnings)
        self._errors.add(frame.failures)
        self._warnings.add(frame.warnings)
        for part in frame.parts:
            if part.output.startswith(LIST_PREFIX):
                self._lists.setdefault(part.output.removeprefix(LIST_PREFIX), []).append(part.body)
            else:
                self._files[part.output].write(part.body, part.rows)

    def published(self, missing: tuple[str, ...]) -> Published:
        return Published(
            rows={file.spec.file: file.rows for file in self._files.values()},
            done=self._jobs - self._failed,
            failed=self._failed,
            warned=self._warned,
            pages=self._pages,
            errors=self._errors.counted(),
            warnings=self._warnings.counted(),
            missing=missing,
            lists=self._lists,
            others=frozenset(self.others),
        )


def _give(file: OutputFile, stream: IO[bytes]) -> None:
    try:
        file.copy_to(stream)
    except OSError as error:
        raise AppenderError(
            f"stdout cannot be written: {error.strerror or error}",
            hint="`scoopi resume --output -` writes all rows again; `scoopi resume` writes them to a file",
        ) from error
