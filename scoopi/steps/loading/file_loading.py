"""FileLoading: lets a loader of pages load files, too."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.downloads.file_reception import disk_fault
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.hop_results import ReceivedFile
from scoopi.model.downloads import FileRequest, KeptFile
from scoopi.model.handover import Payload, ToTask
from scoopi.model.text.shown import shown
from scoopi.steps.loading.login_run import UNAUTHORIZED


class FileLoading:
    """Lets a loader of pages load files, too. Used by the thread that advances the loads.

    Args:
        files: the files that this node has downloaded in this run.
        asks_login: whether what was received in place of a file asks for a login.
    """

    def __init__(self, files: FileStore, asks_login: Callable[[ReceivedFile], bool]) -> None:
        self._files = files
        self._asks_login = asks_login

    def known(self, payload: Payload, request: FileRequest) -> ToTask | None:
        """The handover with the file if it has been downloaded for another page in the meantime; else None.

        Raises:
            FetchError: an earlier request has shown that the file is missing, or of another type or size.
        """
        found = self._files.find(request)
        if isinstance(found, FetchError):
            raise found
        return None if found is None else ToTask(payload.advance(found))

    def failed(self, request: FileRequest, error: Exception) -> None:
        """Record that a request for a file failed, so that other pages do not request a missing one."""
        if isinstance(error, FetchError):
            self._files.note_failure(request, error)

    def open(self, request: FileRequest) -> PartialFile:
        """Open the partial file that the request writes to.

        Raises:
            FetchError: it cannot be written.
        """
        try:
            return self._files.open(request)
        except OSError as error:
            raise disk_fault(error) from error

    def kept(self, received: ReceivedFile) -> KeptFile:
        """Keep a received file, durably.

        Raises:
            FetchError: it cannot be written; or its site asks for a login, which is reported as status 401.
        """
        try:
            if self._asks_login(received):
                received.partial.discard()
                fault = LoadFault(f"status {UNAUTHORIZED}", False, UNAUTHORIZED)
                url = shown(received.partial.request.url)
                raise FetchError("the site asks for a login in place of the file", at=url, fault=fault)
            return self._files.keep(received.partial, received.media_type, received.name)
        except OSError as error:
            raise disk_fault(error) from error
        finally:
            received.partial.close()
