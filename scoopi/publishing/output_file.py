"""OutputFile: one output file, which appears under its final name once it is complete."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
from pathlib import Path
from typing import IO, Protocol, cast

from scoopi.errors import AppenderError
from scoopi.outputs.output_spec import HELD, OutputSpec
from scoopi.synced_files import sync_folder

WRITE_BYTES = 1 << 20
ZSTD_LEVEL = 3
TEMPORARIES = "publish-*.tmp"
"""Glob pattern of the files in the work folder that are being written."""


class Sink(Protocol):
    """Where bytes go, compressed or not."""

    def write(self, data: bytes, /) -> object:
        """Write the bytes, at once or at `close`."""

    def close(self) -> None:
        """Write what is still buffered."""


class OutputFile:
    """One output file; nothing appears under its final name before `publish`.

    Args:
        run_folder: the folder of the final name.
        work_folder: the folder of the temporary file; on the same file system.
    Attributes:
        rows: number of rows written.
        dropped: number of records left out as duplicates by key.
    Raises:
        OSError: from every method: the file cannot be written.
    """

    def __init__(self, spec: OutputSpec, run_folder: Path, work_folder: Path) -> None:
        self.spec = spec
        self.rows = self.dropped = 0
        self._final = run_folder / spec.file
        self._temporary = work_folder / TEMPORARIES.replace("*", os.urandom(6).hex())
        self._raw = self._temporary.open("wb", WRITE_BYTES)
        self._sink = _compressed(self._raw, spec.file if spec.target is None else spec.target.path)
        self._sink.write(spec.header)

    def write(self, body: bytes, rows: int) -> None:
        """Add the rows of one job.

        Args:
            body: the rows, encoded.
            rows: their number.
        """
        self._sink.write(body)
        self.rows += rows

    def finish(self) -> None:
        """Sync the file to disk, still under its temporary name."""
        if self._sink is not self._raw:
            self._sink.close()
        self._raw.flush()
        os.fsync(self._raw.fileno())
        self._raw.close()

    def publish(self, suffix: str = "") -> None:
        """Replace the file with the final name atomically.

        Args:
            suffix: appended to the name of a file that is held back; the file without it is removed then, and
                the one with it otherwise.
        """
        held = self._final.with_name(self._final.name + HELD)
        final, other = (held, self._final) if suffix else (self._final, held)
        if self.spec.optional and not self.rows:
            final.unlink(missing_ok=True)
            return
        final.parent.mkdir(parents=True, exist_ok=True)
        self._temporary.replace(final)
        if self.spec.target is not None:
            other.unlink(missing_ok=True)
        sync_folder(final.parent)

    def copy_to(self, stream: IO[bytes]) -> None:
        """Write the whole file to a stream instead of its final name."""
        with self._temporary.open("rb") as file:
            while chunk := file.read(1 << 20):
                stream.write(chunk)
        stream.flush()

    def discard(self) -> None:
        """Drop the temporary file, if it is still there."""
        with contextlib.suppress(OSError):  # from flushing what is no longer needed
            self._raw.close()
        self._temporary.unlink(missing_ok=True)


def _compressed(raw: IO[bytes], name: str) -> Sink:
    if name.endswith(".gz"):
        return cast("Sink", gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
    if name.endswith(".zst"):
        return _zstd(raw)
    return raw


def _zstd(raw: IO[bytes]) -> Sink:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("Sink", zstd.ZstdFile(raw, mode="wb", level=ZSTD_LEVEL))


def write_out(file: OutputFile, stream: IO[bytes] | None) -> None:
    """Write a finished file to a stream.

    Raises:
        AppenderError: the stream is closed.
    """
    if stream is None or not stream.writable():
        raise AppenderError("stdout is closed", hint="leave it open; `scoopi resume` writes the rows again")
    try:
        file.copy_to(stream)
    except OSError as error:
        raise AppenderError(
            f"stdout cannot be written: {error.strerror or error}",
            hint="`scoopi resume --output -` writes all rows again; `scoopi resume` writes them to a file",
        ) from error
