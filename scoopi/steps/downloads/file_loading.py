"""FileLoading: what a loader needs to load files beside pages."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.downloads.file_reception import disk_fault
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.request import ReceivedFile
from scoopi.model.downloads import FileOrder, KeptFile
from scoopi.model.handover import Payload, ToTask
from scoopi.model.text.shown import shown
from scoopi.steps.login_run import UNAUTHORIZED


class FileLoading:
    """What a loader needs to load files beside pages. Belongs to the thread that has the turn.

    Args:
        files: of this node in this run.
        asks_login: whether what has come in place of a file asks for a login.
    """

    def __init__(self, files: FileStore, asks_login: Callable[[ReceivedFile], bool]) -> None:
        self._files = files
        self._asks_login = asks_login

    def known(self, payload: Payload, order: FileOrder) -> ToTask | None:
        """The file, if another page has brought it since this one asked for it.

        Raises:
            FetchError: it is not one that is wanted, or nothing is at its address.
        """
        found = self._files.find(order)
        if isinstance(found, FetchError):
            raise found
        return None if found is None else ToTask(payload.advance(found))

    def failed(self, order: FileOrder, error: Exception) -> None:
        """Note how the request for a file has failed; other pages need not ask for what is missing."""
        if isinstance(error, FetchError):
            self._files.note_failure(order, error)

    def open(self, order: FileOrder) -> PartialFile:
        """Where its request puts the file.

        Raises:
            FetchError: it cannot be written.
        """
        try:
            return self._files.open(order)
        except OSError as error:
            raise disk_fault(error) from error

    def kept(self, received: ReceivedFile) -> KeptFile:
        """The file, complete and durable.

        Raises:
            FetchError: it cannot be made durable; or its site wants a login, as by status 401.
        """
        try:
            if self._asks_login(received):
                received.partial.discard()
                fault = LoadFault(f"status {UNAUTHORIZED}", False, UNAUTHORIZED)
                url = shown(received.partial.order.url)
                raise FetchError("the site asks for a login in place of the file", at=url, fault=fault)
            return self._files.keep(received.partial, received.media_type, received.name)
        except OSError as error:
            raise disk_fault(error) from error
        finally:
            received.partial.close()
