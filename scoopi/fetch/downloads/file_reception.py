"""FileReception: writes a file to disk as it arrives, within the limits of its request."""

from __future__ import annotations

from scoopi.errors import FetchError
from scoopi.fetch.content_decoder import BrokenCodingError, ContentDecoder, TooLargeError
from scoopi.fetch.downloads.file_kind import file_name, file_type
from scoopi.fetch.downloads.file_store import unwanted
from scoopi.fetch.downloads.partial_file import PartialFile, WrongRangeError
from scoopi.fetch.reception import OTHER_BYTES, STOP, BufferLimit, Reception

PARTIAL_STATUS = 206


class FileReception(Reception):
    """Writes a file to disk as it arrives, within the limits of its request.

    Attributes:
        partial: the file on disk; None between requests.
        url: the URL of the request.
        refusal: why the file was rejected; None if it was not.
        is_elsewhere: whether the response does not continue the partial file.
    """

    def __init__(self, buffer_limit: BufferLimit) -> None:
        self.partial: PartialFile | None = None
        self.url = ""
        super().__init__(0, buffer_limit)

    def reset(self, cut_bytes: int = 0) -> None:
        """Discard what is known of the response and prepare for the next one; the partial file is kept."""
        super().reset(cut_bytes)
        self.refusal: FetchError | None = None
        self.is_elsewhere = False

    @property
    def is_wanted(self) -> bool:
        """Whether the body is the file or the rest of it."""
        is_rest = self.status == PARTIAL_STATUS and self.partial is not None and self.partial.offset > 0
        return is_rest or super().is_wanted

    def take_body(self, piece: bytes) -> int | None:
        """Receive a piece of the body, and write it to the file; returns as `Reception.take_body`."""
        if not self.is_wanted:
            return super().take_body(piece)
        assert self.partial is not None
        try:
            if not self._begun:
                self.begin_file()
            self._received_bytes += len(piece)
            if self._decoder is not None:
                piece = self._decoder.feed(piece)
            room = self.partial.request.max_bytes - self.partial.size
            if len(piece) > room or self._received_bytes > self.partial.request.max_bytes + OTHER_BYTES:
                raise TooLargeError
            self.partial.write(piece)
        except TooLargeError:
            self.refuse_size()
            return STOP
        except (FetchError, WrongRangeError, BrokenCodingError, OSError) as error:
            self._stop(error)
            return STOP
        return None

    def begin_file(self) -> None:
        """Check the headers and start receiving the body.

        Raises:
            FetchError: the file has the wrong type or is too large.
            WrongRangeError: the body does not continue the partial file.
            OSError: the file cannot be written.
        """
        assert self.partial is not None
        self._begun = True
        continued = self.partial.offset if self.status == PARTIAL_STATUS else 0
        size = self.announced + continued
        if (refusal := unwanted(self.partial.request, self.media_type, size)) is not None:
            raise refusal
        header = self.headers.get("content-encoding", "")
        self._decoder = ContentDecoder.of_header(header, self.partial.request.max_bytes)
        self.partial.begin(self.status, self.headers)

    def refuse_size(self) -> None:
        """Mark the file as larger than its request allows."""
        assert self.partial is not None
        self._refuse(unwanted(self.partial.request, self.media_type, self.partial.request.max_bytes + 1))

    def finish_file(self) -> None:
        """End the body; sets `fault` or `refusal` if it is incomplete or was rejected."""
        assert self.partial is not None
        try:
            if not self._begun:
                self.begin_file()
            if self._decoder is not None:
                self._decoder.finish()
        except (FetchError, WrongRangeError, BrokenCodingError, OSError) as error:
            self._stop(error)

    def _stop(self, error: Exception) -> None:
        if isinstance(error, WrongRangeError):
            self.is_elsewhere = True
        elif isinstance(error, FetchError):
            self._refuse(error)
        elif isinstance(error, OSError):
            self._refuse(disk_fault(error))
        else:
            self.fault = f"the file cannot be decoded as {self.headers.get('content-encoding')}: {error}"

    def _refuse(self, refusal: FetchError | None) -> None:
        self.refusal = refusal
        self.fault = "" if refusal is None else refusal.what

    @property
    def media_type(self) -> str:
        """The media type of the file, from its headers and its URL; empty if unknown."""
        return file_type(self.headers.get("content-type", ""), file_name(self.headers, self.url))


class LocalFaultError(FetchError):
    """A download failed because of this machine. The task fails, so that no row is left without its file."""


def disk_fault(error: OSError) -> LocalFaultError:
    """The error for a download whose file cannot be written."""
    what = f"the file cannot be written: {error.strerror or error}"
    return LocalFaultError(what, hint="free some space or fix the folder, then `scoopi retry`")
