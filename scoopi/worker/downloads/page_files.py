"""PageFiles: runs the tasks of loaded pages, and has the files that their rows name downloaded."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from scoopi.errors import FetchError, StoppedError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.fetch.downloads.file_reception import LocalFaultError, disk_fault
from scoopi.fetch.downloads.file_store import FileStore, UnwantedFileError
from scoopi.model.downloads import FileRequest, KeptFile
from scoopi.model.handover import Payload, ToGrant
from scoopi.model.locator import Locator
from scoopi.model.text.shown import shown
from scoopi.steps.loading.load_state import LoadState
from scoopi.worker.downloads.page_outcome import PausedPage
from scoopi.worker.fetching import LoadedPage
from scoopi.worker.messages import PageSeen, Result
from scoopi.worker.page_runner import PageRunner

STOPPED = "the run was stopped before the files of the page were downloaded"


class _Waiting:
    """A page that waits for files, and the outcomes of those requested so far."""

    def __init__(self, page: PausedPage, seen: PageSeen | None) -> None:
        self.page = page
        self.files: dict[FileRequest, KeptFile | FetchError] = {}
        self.failed: dict[str, FetchError] = {}
        self._seen = seen
        self._requests = [*dict.fromkeys(request for task in page.tasks for request in task.requests)]
        self._size = 0

    def next_request(self) -> FileRequest | None:
        """The next file to request; None if there is none left."""
        return self._requests[len(self.files)] if len(self.files) < len(self._requests) else None

    def take_next(self, file: object) -> None:
        """Record the outcome of that file: a KeptFile or an error."""
        request = self._requests[len(self.files)]
        if isinstance(file, KeptFile):
            self.files[request] = file
            self._size += file.size if file.was_sent else 0
            return
        error = file if isinstance(file, FetchError) else _unexpected(file, request.url)
        self.files[request] = error
        if not isinstance(error, UnwantedFileError):
            self.failed[request.url] = error

    def reported(self, result: Result) -> Result:
        """The result, with the size of the files added to that of the page."""
        if self._seen is None:
            return result
        return replace(result, seen=replace(self._seen, size_bytes=self._seen.size_bytes + self._size))


class PageFiles:
    """Runs the tasks of loaded pages, and has the files that their rows name downloaded, one after another.

    Each request needs a grant of its own. Used by the steps' thread.

    Args:
        runner: runs the steps.
        store: the files that the node has downloaded; None if no definition has a download.
        leads_to_public_only: takes whether a page is public, and returns whether its files must be on public
            hosts.
    """

    def __init__(
        self,
        runner: PageRunner,
        store: FileStore | None,
        leads_to_public_only: Callable[[bool], bool],
    ) -> None:
        self._runner = runner
        self._store = store
        self._leads_to_public_only = leads_to_public_only
        self._pages: dict[str, _Waiting] = {}

    def result(self, loaded: LoadedPage, seen: PageSeen | None) -> Result | ToGrant | None:
        """The result of a job, or the request for the next file of its page; None to hand the job back.

        Args:
            loaded: the page, or the file that was requested last. A StoppedError means that no more files can
                be requested.
            seen: how it was loaded; None if that is not reported.
        """
        job = loaded.item.job
        if (waiting := self._pages.get(job)) is not None and isinstance(loaded.error, StoppedError):
            request = loaded.item.payload.locator.request
            if request is None or request.is_repeatable:
                del self._pages[job]
                return None
            while waiting.next_request() is not None:  # protocol rule 16
                waiting.take_next(LocalFaultError(STOPPED, hint="`scoopi retry` asks for the page again"))
        elif waiting is not None:
            waiting.take_next(loaded.error or loaded.page)
        else:
            made = self._begun(loaded)
            if isinstance(made, Result):
                return made if seen is None else replace(made, seen=seen)
            waiting = self._pages[job] = _Waiting(made, seen)
        while (wanted := waiting.next_request()) is not None:
            known = waiting.failed.get(wanted.url) or self._known(waiting.page, wanted)
            if known is None:
                return self._request(waiting.page, wanted)
            waiting.take_next(known)
        del self._pages[job]
        return waiting.reported(self._runner.resume(waiting.page, waiting.files))

    def _begun(self, loaded: LoadedPage) -> Result | PausedPage:
        if loaded.error is not None:
            return self._runner.failed_load(loaded.item, loaded.error)
        return self._runner.run(loaded.item, loaded.page)

    def _known(self, page: PausedPage, request: FileRequest) -> KeptFile | FetchError | None:
        """The file if it needs no request, or the error if it cannot be requested; None to request it."""
        assert self._store is not None, "a definition has a download"
        is_web = request.url.lower().startswith(("http:", "https:"))
        if not is_web and not (_is_local(request.url) and _is_local(page.item.payload.locator.url)):
            return FetchError("only http and https URLs can be downloaded", at=shown(request.url))
        try:
            if is_web:
                parse_address(request.url)
            return self._store.find(request) or (None if is_web else self._store.copied(request))
        except FetchError as error:
            return error
        except OSError as error:
            return disk_fault(error)

    def _request(self, page: PausedPage, request: FileRequest) -> ToGrant:
        item = page.item
        only = self._leads_to_public_only(page.is_public)
        of_page = item.payload.locator
        state = LoadState(public_only=only, whole=True, file=request)
        locator = Locator(of_page.name, of_page.group, request.url)
        payload = Payload(item.job, locator, item.payload.page, "", state)
        return ToGrant(parse_address(request.url).host, payload, request.url)


def _is_local(url: str) -> bool:
    """Whether an address is that of a local file, which a web page must not have copied."""
    try:
        return parse_address(url).kind is AddressKind.FILE
    except FetchError:
        return False


def _unexpected(error: object, url: str) -> FetchError:
    return FetchError(f"{type(error).__name__}: {error}", at=shown(url))
