"""OutputFile: one output file of a run, written under a temporary name and renamed when complete."""

from __future__ import annotations

import contextlib
import gzip
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, cast

from scoopi.appenders.segment_writer import sync_folder

WRITE_BYTES = 1 << 20
ZSTD_LEVEL = 3
TEMPORARIES = "publish-*.tmp"
"""Names of files in the work folder that are being written."""


class Sink(Protocol):
    """Where bytes go, compressed or not."""

    def write(self, data: bytes, /) -> object:
        """Take the bytes."""

    def close(self) -> None:
        """Write what is held back."""


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """The names of one output, and its header.

    Attributes:
        output: its name in the definitions, as frames carry it.
        file: its final name, relative to the run's folder; the suffix `.gz` or `.zst` compresses.
        header: its first bytes, before any row.
    """

    output: str
    file: str
    header: bytes = b""


class OutputFile:
    """Nothing appears under the final name before `publish`."""

    def __init__(self, spec: OutputSpec, run_folder: Path, work_folder: Path) -> None:
        self.spec = spec
        self.rows = 0
        self._final = run_folder / spec.file
        self._temporary = work_folder / TEMPORARIES.replace("*", secrets.token_hex(6))
        self._raw = self._temporary.open("wb", WRITE_BYTES)
        self._sink = _compressed(self._raw, spec.file)
        self._sink.write(spec.header)

    def write(self, body: bytes, rows: int) -> None:
        """Add the rows of one job."""
        self._sink.write(body)
        self.rows += rows

    def finish(self) -> None:
        """Make what was written durable, still under its temporary name."""
        if self._sink is not self._raw:
            self._sink.close()
        self._raw.flush()
        os.fsync(self._raw.fileno())
        self._raw.close()

    def publish(self) -> None:
        """Replace the file of the final name, at once."""
        self._final.parent.mkdir(parents=True, exist_ok=True)
        self._temporary.replace(self._final)
        sync_folder(self._final.parent)

    def copy_to(self, stream: IO[bytes]) -> None:
        """Write the whole file to a stream instead of its final name."""
        with self._temporary.open("rb") as file:
            while chunk := file.read(1 << 20):
                stream.write(chunk)
        stream.flush()

    def discard(self) -> None:
        """Drop the temporary file, if it is still there."""
        with contextlib.suppress(OSError):  # of what is still held back, and is not wanted any more
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
