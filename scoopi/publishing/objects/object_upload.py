"""Uploads to object stores: of outputs, and of the downloaded files that rows name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from scoopi.errors import AppenderError

UPLOADS_AT_ONCE = 8
_WITHOUT_FOLDERS = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory")
"""Schemes without folders; with some, creating one would create a bucket with a mistyped name."""
_POLL_S = 0.5


def upload(file: Path, url: str) -> None:
    """Upload a file under its final name; readers of an object store see it whole or not at all.

    Raises:
        AppenderError: the store rejects it, or does not answer.
    """
    try:
        _put(file, url, *_opened(url))
    except Exception as error:  # each library has errors of its own
        raise _refused(url, error) from error


def upload_missing(files: Mapping[str, Path], ensure_time: Callable[[], None]) -> None:
    """Upload files whose URLs are derived from their content, several at a time.

    An object with the same name and size is assumed to have that content, and is not uploaded again.

    Args:
        files: URL -> local file.
        ensure_time: called twice a second; raises an error to abort the uploads.
    Raises:
        AppenderError: the store rejects a file, or does not answer; other files may have been uploaded or
            not.
    """
    _in_parallel([partial(_ensure_sent, file, url) for url, file in files.items()], ensure_time)


def ensure_uploaded(sizes: Mapping[str, int], ensure_time: Callable[[], None]) -> None:
    """Check that objects still exist of which this machine no longer has a copy.

    Args:
        sizes: URL -> size in bytes.
        ensure_time: see `upload_missing`.
    Raises:
        AppenderError: an object is gone or has another size, or the store does not answer.
    """
    _in_parallel([partial(_ensure_there, size, url) for url, size in sizes.items()], ensure_time)


def _in_parallel(calls: Sequence[Callable[[], None]], ensure_time: Callable[[], None]) -> None:
    if not calls:
        return
    import fsspec  # noqa: F401  # once, before the threads do

    pool = ThreadPoolExecutor(min(UPLOADS_AT_ONCE, len(calls)), "upload")
    try:
        for made in [pool.submit(call) for call in calls]:
            _wait(made, ensure_time)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _wait(sent: Future[None], ensure_time: Callable[[], None]) -> None:
    while True:
        ensure_time()
        try:
            return sent.result(_POLL_S)
        except TimeoutError:
            if sent.done():
                raise


def _ensure_sent(file: Path, url: str) -> None:
    try:
        filesystem, path = _opened(url)
        if _size(filesystem, path) != file.stat().st_size:
            _put(file, url, filesystem, path)
    except Exception as error:  # each library has errors of its own
        raise _refused(url, error) from error


def _ensure_there(size: int, url: str) -> None:
    try:
        found = _size(*_opened(url), hidden=size)
    except Exception as error:  # each library has errors of its own
        raise _refused(url, error) from error
    if found != size:
        what = "no longer exists" if found is None else f"has {found:,} bytes instead of {size:,}"
        raise AppenderError(
            f"the uploaded file {what}, and its copy in the run's folder was removed when the run was over",
            at=url,
            hint="restore the object, or run the definitions again",
        )


def _opened(url: str) -> tuple[Any, str]:
    import fsspec

    filesystem, path = fsspec.core.url_to_fs(url)  # fsspec keeps one instance per thread
    return filesystem, path


def _size(filesystem: Any, path: str, hidden: int | None = None) -> int | None:
    """Size of an object; None if it does not exist, `hidden` if the credentials only allow writing."""
    try:
        size = filesystem.info(path)["size"]
    except FileNotFoundError:
        return None
    except PermissionError:
        return hidden
    return size if isinstance(size, int) else None


def _put(file: Path, url: str, filesystem: Any, path: str) -> None:
    parent = path.rpartition("/")[0]
    if parent and url.partition("://")[0].lower() not in _WITHOUT_FOLDERS:
        filesystem.makedirs(parent, exist_ok=True)
    filesystem.put_file(str(file), path)


def _refused(url: str, error: Exception) -> AppenderError:
    return AppenderError(
        f"the file cannot be uploaded: {type(error).__name__}: {error}",
        at=url,
        hint="check the address and the credentials; `scoopi resume` uploads it",
    )
