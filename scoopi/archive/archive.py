"""Archive: pages, and the rows read from them, that a later run may use again.

Source: language, A17 and B 4.6.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

import msgspec

from scoopi.archive.entry_file import TEMPORARY, EntryFile
from scoopi.archive.metas import DataMeta, DocumentMeta, document_identity, kept_locator
from scoopi.archive.saved_data import SavedData
from scoopi.model.data import Data
from scoopi.model.document import Document
from scoopi.model.live import Live
from scoopi.model.locator import Locator

log = logging.getLogger(__name__)

DOCUMENT = "document"
DATA = "data-"
STALE_SECONDS = 3600
"""A file that has been in the making for so long belongs to a process that died."""


def data_key(locator: Locator, task: str, data_def: str, digest: str) -> str:
    """The key of rows: what makes two sets of rows of one page different.

    Args:
        digest: of the effective data definition and of all else that shapes the rows, so that editing it
            forces a new reading.
    """
    return repr((locator.name, locator.group, task, data_def, digest))


class Archive:
    """Keeps one page a locator, and with it the rows read from it.

    Safe for any number of threads, processes and nodes on one folder, without locks: files are replaced as
    a whole, an entry that fails its checks counts as absent, and rows count only for the very page (address,
    date and content) that they were read from. An archive that cannot be written costs a warning, not rows.

    Args:
        folder: made when something is first saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._documents = EntryFile(DocumentMeta)
        self._data = EntryFile(DataMeta)
        self._data_decoder = msgspec.msgpack.Decoder(SavedData)
        self._warned = False

    def fresh(self, locator: Locator, live: Live, run_date: datetime) -> bool:
        """Whether a page is there and still live; reads its head only.

        `load` may yet find that its body is spoiled.
        """
        meta = self._documents.read_meta(self._entry(locator) / DOCUMENT)
        if meta is None or meta.locator != kept_locator(locator):
            return False
        try:
            return live.fresh(meta.date(), run_date)
        except ValueError:
            return False

    def load(self, locator: Locator) -> Document | None:
        """The saved page with its old from_date; None when there is none, or a bad one."""
        found = self._documents.read(self._entry(locator) / DOCUMENT)
        if found is None or found[0].locator != kept_locator(locator):
            return None
        meta, body = found
        try:
            return meta.document(locator, body)
        except ValueError:
            return None

    def save(self, document: Document) -> bool:
        """Replace the locator's page and drop the rows of the former one; False when it cannot be kept."""
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
        """The rows saved for this very document and key; None when there are none, or bad ones."""
        found = self._data.read(self._data_file(document.locator, key))
        if found is None:
            return None
        meta, body = found
        if meta.key != key or meta.identity != document_identity(document):
            return None
        try:
            return self._data_decoder.decode(body).data()
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError):
            return None

    def save_data(self, document: Document, key: str, data: Data) -> bool:
        """Keep rows beside their page; False when this very page is not saved, or they cannot be kept.

        Without its page nothing would ever end the life of the rows, so they are not kept then.
        """
        identity = document_identity(document)
        saved = self._documents.read_meta(self._entry(document.locator) / DOCUMENT)
        if saved is None or saved.identity != identity:
            return False
        try:
            body = msgspec.msgpack.encode(SavedData.of(data))
            self._data.write(self._data_file(document.locator, key), DataMeta(key, identity), body)
        except (OSError, UnicodeEncodeError) as error:
            self._warn(error)
            return False
        return True

    def _entry(self, locator: Locator) -> Path:
        name = _name(repr((locator.name, locator.group, locator.url)))
        return self._folder / name[:2] / name[2:]

    def _data_file(self, locator: Locator, key: str) -> Path:
        return self._entry(locator) / f"{DATA}{_name(key)}"

    def _sweep(self, folder: Path, identity: bytes) -> None:
        """Delete the rows of other pages than `identity`, and what dead writers left."""
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
        log.log(level, "archive %s: a page or its rows cannot be kept: %s", self._folder, error)


def _name(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _age(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0
