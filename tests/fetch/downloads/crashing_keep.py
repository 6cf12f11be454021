"""A process that downloads a file to a store and ends, as if it was killed, at one of its steps.

python -m tests.fetch.downloads.crashing_keep FOLDER STEP
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileFinder
from scoopi.model.downloads import FileRequest

URL = "http://here.example/a.jpg"
HEADERS = {"etag": '"v1"', "content-type": "image/jpeg"}
CONTENT = b"rye bread" * 1000
HALF = len(CONTENT) // 2
KILLED = 9
_STEPS = ("open", "write", "ftruncate", "fsync", "replace", "unlink", "mkdir")
"""Calls of the system that change what is on the disk, or make it durable."""


def die_at(step: int) -> None:
    """Have this process end before the step-th of its calls that matter."""
    left = step

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def before(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                os._exit(KILLED)
            return call(*arguments, **named)

        return before

    for name in _STEPS:
        setattr(os, name, counted(getattr(os, name)))
    written = Path.write_bytes

    def torn(path: Path, data: bytes) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            written(path, data[: len(data) // 2])
            os._exit(KILLED)
        return written(path, data)

    Path.write_bytes = torn  # type: ignore[assignment,method-assign]


def download(folder: Path) -> None:
    """Receive the file in two pieces, resumed if a part is there, and keep it."""
    store = FileStore(folder, FileFinder(folder, folder))
    request = FileRequest(URL)
    partial = store.open(request)
    start = partial.offset if partial.headers() else 0
    rest = {"content-range": f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"} if start else {}
    partial.begin(206 if start else 200, {**HEADERS, **rest})
    for piece in (CONTENT[start : max(start, HALF)], CONTENT[max(start, HALF) :]):
        if piece:
            partial.write(piece)
    store.keep(partial, "image/jpeg", "a.jpg")
    partial.close()


if __name__ == "__main__":
    die_at(int(sys.argv[2]))
    download(Path(sys.argv[1]))
