"""Archive: saves pages, and the rows read from them, for later runs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import structs

from scoopi.archive.archive_records import (
    DataMeta,
    DocumentMeta,
    SavedData,
    archived_locator,
    document_identity,
)
from scoopi.archive.entry_file import TEMPORARY, EntryFile
from scoopi.archive.saved_addresses import SavedAddresses
from scoopi.model.data import Data
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.live import Live
from scoopi.model.locator import Document, Locator, Validators
from scoopi.model.records import Records
from scoopi.model.text.shown import without_login

log = logging.getLogger(__name__)

DOCUMENT = "document"
DATA = "data-"
STALE_SECONDS = 3600
"""The age after which an incomplete file is taken for that of a dead process."""


def data_key(locator: Locator, task: str, data_def: str, digest: str) -> str:
    """The key of the rows that a task reads from a page of a locator.

    Args:
        locator: the page; the fragment of its address counts, as rows may show the address.
        task: name of the task.
        data_def: name of the data definition.
        digest: digest of the effective data definition and everything else that determines the rows, so
            that pages are parsed again after a change.
    """
    fragment = locator.url.partition("#")[2]
    return repr((locator.name, locator.group, fragment, task, data_def, digest))


class Archive:
    """Stores one page per locator, whatever the fragment of its address, with the rows read from it.

    Threads, processes and nodes may share a folder without locks: files are replaced atomically, an entry
    that fails its checks counts as absent, and rows are valid only for exactly the page (address, date and
    content) that they were read from. An archive that cannot be written logs a warning; no rows are lost.

    Args:
        folder: created when something is first saved.
        by_fragment: task groups whose pages depend on the fragment, see `SavedAddresses`.
    """

    def __init__(self, folder: Path, by_fragment: Collection[str] = ()) -> None:
        self._folder = folder
        self._addresses = SavedAddresses(by_fragment)
        self._documents = EntryFile(DocumentMeta)
        self._data = EntryFile(DataMeta)
        self._data_decoder = msgpack_decoder(SavedData)
        self._record_decoder = msgpack_decoder(Records)
        self._warned = False

    def fresh(self, locator: Locator, live: Live, run_date: datetime) -> bool:
        """Whether the locator's page is saved and still live.

        Reads the head only: `load` may still find that the body is damaged.
        """
        meta = self._saved_meta(locator)
        if meta is None:
            return False
        try:
            return live.fresh(meta.date(), run_date)
        except ValueError:
            return False

    def load(self, locator: Locator) -> Document | None:
        """The saved page with its original `from_date`; None if it is absent or damaged."""
        saved = self._addresses.locator(locator)
        found = self._documents.read(self._entry(saved) / DOCUMENT)
        if found is None or found[0].locator != archived_locator(saved):
            return None
        meta, body = found
        try:
            return self._addresses.asked(meta.document(saved, body), locator)
        except ValueError:
            return None

    def known(self, locator: Locator, url: str) -> Validators | None:
        """The validators of the locator's page; None if it is not saved, or came from another URL.

        Reads the head only.
        """
        meta = self._saved_meta(locator)
        if meta is None or meta.url != without_login(url.removesuffix(self._addresses.fragment(locator))):
            return None
        return meta.validators

    def renewed(self, locator: Locator, run_date: datetime, validators: Validators | None) -> Document | None:
        """The saved page, from now on as if it had been loaded on `run_date`; None if it cannot be read.

        Args:
            validators: as the server sent them with its answer that the page has not changed.
        """
        saved = self.load(locator)
        if saved is None:
            return None
        former = saved.validators or Validators()
        current = former if validators is None else validators.or_else(former)
        document = structs.replace(saved, from_date=run_date, validators=current)
        self.save(document)
        return document

    def save(self, document: Document) -> bool:
        """Replace the locator's page and delete the rows of the previous one.

        Returns:
            False if the page cannot be saved.
        """
        document = self._addresses.document(document)
        folder = self._entry(document.locator)
        meta = DocumentMeta.of(document)
        try:
            self._documents.write(folder / DOCUMENT, meta, document.body)
            self._sweep(folder, meta.identity)
        except (OSError, UnicodeEncodeError) as error:
            self._warn(error)
            return False
        return True

    def load_data(self, document: Document, key: str) -> Data | None:
        """The rows saved for exactly this document and key; None if they are absent or damaged."""
        body = self._load_rows(document, key)
        try:
            return None if body is None else self._data_decoder.decode(body).data()
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError):
            return None

    def load_records(self, document: Document, key: str) -> Records | None:
        """The records saved for exactly this document and key, with their links; as `load_data`."""
        body = self._load_rows(document, key)
        try:
            return None if body is None else self._record_decoder.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def save_data(self, document: Document, key: str, data: Data) -> bool:
        """Save the rows of a page.

        Returns:
            False if exactly this page is not saved, or the rows cannot be saved. Rows without their page
            would never be deleted.
        """
        return self._save_rows(document, key, lambda: SavedData.of(data))

    def save_records(self, document: Document, key: str, records: Records) -> bool:
        """Save the records of a page, with their links; as `save_data`."""
        return self._save_rows(document, key, lambda: records)

    def _saved_meta(self, locator: Locator) -> DocumentMeta | None:
        saved = self._addresses.locator(locator)
        meta = self._documents.read_meta(self._entry(saved) / DOCUMENT)
        return None if meta is None or meta.locator != archived_locator(saved) else meta

    def _load_rows(self, document: Document, key: str) -> bytes | None:
        document = self._addresses.document(document)
        found = self._data.read(self._data_file(document.locator, key))
        if found is None:
            return None
        meta, body = found
        return body if meta.key == key and meta.identity == document_identity(document) else None

    def _save_rows(self, document: Document, key: str, rows: Callable[[], SavedData | Records]) -> bool:
        document = self._addresses.document(document)
        identity = document_identity(document)
        saved = self._documents.read_meta(self._entry(document.locator) / DOCUMENT)
        if saved is None or saved.identity != identity:
            return False
        try:
            body = msgspec.msgpack.encode(rows())
            self._data.write(self._data_file(document.locator, key), DataMeta(key, identity), body)
        except (OSError, UnicodeEncodeError) as error:
            self._warn(error)
            return False
        except (OverflowError, TypeError):  # no output can hold such a value either: its task fails
            return False
        return True

    def _entry(self, locator: Locator) -> Path:
        name = _name(repr((locator.name, *locator.identity)))
        return self._folder / name[:2] / name[2:]

    def _data_file(self, locator: Locator, key: str) -> Path:
        return self._entry(locator) / f"{DATA}{_name(key)}"

    def _sweep(self, folder: Path, identity: bytes) -> None:
        """Delete the rows of pages other than `identity`, and incomplete files of dead processes."""
        for file in folder.iterdir():
            if file.name.startswith(DATA):
                meta = self._data.read_meta(file)
                dead = meta is None or meta.identity != identity
            else:
                dead = file.name.startswith(TEMPORARY) and _age(file) > STALE_SECONDS
            if dead:
                file.unlink(missing_ok=True)

    def _warn(self, error: Exception) -> None:
        level = logging.DEBUG if self._warned else logging.WARNING
        self._warned = True
        log.log(level, "archive %s: a page or its rows cannot be saved: %s", self._folder, error)


def _name(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _age(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0
