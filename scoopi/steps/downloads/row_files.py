"""RowFiles: chooses the paths of the files that rows name, and collects warnings about failed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from scoopi.errors import FetchError
from scoopi.fetch.downloads.file_kind import file_extension
from scoopi.fetch.downloads.file_reception import LocalFaultError, disk_fault
from scoopi.model.downloads import Download, Downloads, FileRef, FileRequest, KeptFile
from scoopi.model.failure import Failure
from scoopi.model.handover import Payload
from scoopi.model.text.file_path import FilePath, is_object

ClaimPath = Callable[[str, str, str], bool]
"""Called with (path, SHA-256, job): whether the path may have that content, see `FileStore.claim`.

If the path contains the SHA-256, only its folder is claimed."""


MISSING = ("its value is missing", "their values are missing")


class FileColumn(msgspec.Struct, frozen=True):
    """A column whose values are downloaded.

    Attributes:
        at: its position in a row.
        path: the path template of its files.
        outcome: what happens to a value whose file cannot be downloaded, for messages; of one file, and of
            several.
    """

    name: str
    at: int
    download: Download
    path: FilePath
    outcome: tuple[str, str] = MISSING

    def request(self, url: str) -> FileRequest:
        """The request for the file at an address."""
        return FileRequest(url, self.download.types, self.download.max_bytes)


class RowFiles:
    """Chooses the paths of the files that the rows of a page name, and collects warnings about failed ones.

    Args:
        claim: see `ClaimPath`.
        stream: see `FileRef`.
    """

    def __init__(self, downloads: Downloads, payload: Payload, claim: ClaimPath, stream: str) -> None:
        self._files = downloads.files
        self._payload = payload
        self._claim = claim
        self._stream = stream
        self._refs: dict[str, FileRef] = {}
        self._failed: dict[tuple[str, str], tuple[FileColumn, FetchError, int]] = {}
        locator = payload.locator
        self._of_locator = {"locator.name": locator.name, "locator.group": locator.group}

    def path(self, column: FileColumn, url: str, row: Mapping[str, str]) -> str | FetchError:
        """Return the path of the file at an address, or why there is none.

        Args:
            row: placeholder -> value in the row.
        Raises:
            LocalFaultError: the file cannot be written on this machine.
        """
        file = self._files[column.request(url)]
        if isinstance(file, LocalFaultError):
            raise file
        found = file if isinstance(file, FetchError) else self._named(column, url, file, row)
        if isinstance(found, FetchError):
            key = column.name, found.cause
            _, first, number = self._failed.get(key, (column, found, 0))
            self._failed[key] = column, first, number + 1
        return found

    def refs(self) -> tuple[FileRef, ...]:
        """The files that have a path."""
        return tuple(self._refs.values())

    def warnings(self) -> tuple[Failure, ...]:
        """The warnings about files that could not be downloaded, one for each column and cause."""
        return tuple(
            Failure(
                cause=f"{column.name}: {error.cause}",
                message=f"{_files(number)} of {column.name} could not be downloaded, "
                f"so {column.outcome[number > 1]}: {error}",
                at=str(column.download.place),
            )
            for column, error, number in self._failed.values()
        )

    def _named(
        self, column: FileColumn, url: str, file: KeptFile, row: Mapping[str, str]
    ) -> str | FetchError:
        """Return the path of a file by the column's template, claimed for its content, or why it has none.

        Raises:
            LocalFaultError: the claim cannot be written.
        """
        extension = file_extension(file.media_type, file.name)
        stem = file.name.removesuffix(f".{file.name.rpartition('.')[2]}") if "." in file.name else file.name
        of_file = {"sha256": file.sha256, "ext": extension, "name": stem}
        path = column.path.filled({**row, **self._of_locator, **of_file})
        if path is None:
            return FetchError("the path of the file is too long", at=url, hint="shorten its `to`")
        known = self._refs.get(path)
        try:
            is_free = known is None or known.sha256 == file.sha256
            claimed = f"{path.rpartition('/')[0]}/" if column.path.is_by_content else path
            needs_claim = not is_object(path) and (claimed.count("/") > 1 or claimed == path)
            if needs_claim:
                is_free = is_free and self._claim(claimed, file.sha256, self._payload.job)
        except OSError as error:
            raise disk_fault(error) from error
        if not is_free:
            what = (
                f"{path} is already the path of another file, or a folder, or is in a folder that is a file"
            )
            hint = "add %{sha256} to its `to`, or another value that is different for each file"
            if column.path.is_by_content:
                hint = "name another folder in its `to`"
            return FetchError(what, at=url, hint=hint, cause="the path is already that of another file")
        self._refs[path] = FileRef(path, file.sha256, file.size, self._stream)
        return path


def _files(number: int) -> str:
    return "a file" if number == 1 else f"{number} files"
