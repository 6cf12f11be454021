"""RememberedEnds: the map `ended`, a record for each id during the run, for hundreds when it is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from scoopi.errors import StoreError
from scoopi.store.pages.job_records import Ended
from scoopi.store.ports import ENDED, Outcome, Store, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 20_000
PACK = 500
"""Ends in a packed record: some 60 bytes each, where a record of its own takes 280."""
PACKS = PAGE // PACK
_PACKED = "~"
"""Behind all ids. The record of this key marks that all ends are packed; the packs' keys follow it."""
_FULL = b"packed"
Ends = list[tuple[str, Ended]]


class RememberedEnds:
    """Which take of which node ended a job. Every method raises StoreError when nothing is known.

    Args:
        store: one whose answers are settled.
    Source: ARCHITECTURE, protocol rules 3 and 10.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._codec = RecordCodec(ENDED, Ended)
        self._packs: RecordCodec[Ends] = RecordCodec(ENDED, Ends, packed=True)

    def remember(self, ends: Mapping[str, Ended]) -> dict[str, Ended]:
        """Put those that are not there; the ones that stand."""
        records = [(job, self._codec.written(end)) for job, end in ends.items()]
        outcomes = self._store.put_if_absent_all(ENDED, records)
        return {
            job: self._standing(job, end, outcome)
            for (job, end), outcome in zip(ends.items(), outcomes, strict=True)
        }

    def of(self, ids: Sequence[str]) -> dict[str, Ended]:
        """Those of the ids that are remembered.

        Packed ones too: a node that was away may ask when the run is over.
        """
        found = self._store.get_all(ENDED, [*ids, _PACKED] if ids else ids)
        is_packed = found.pop(_PACKED, None) is not None
        ends = {job: self._codec.read(job, record) for job, record in found.items()}
        if is_packed and (missing := set(ids) - ends.keys()):
            ends.update((job, end) for page in self._unpacked() for job, end in page if job in missing)
        return ends

    def pages(self) -> Iterator[Ends]:
        """All of them, each once, by id, in parts.

        Raises:
            StoreError: they were packed meanwhile; the next call finds them all.
        """
        if self._is_packed():
            yield from self._unpacked()
            return
        yield from self._single()
        if self._is_packed():
            raise StoreError("the ended jobs were packed while they were read", hint="try again")

    def _single(self) -> Iterator[Ends]:
        """From their own records, in whole parts while they are not packed."""
        for page in pages(self._store, ENDED, PAGE):
            yield [(job, self._codec.read(job, record)) for job, record in page if job < _PACKED]

    def _unpacked(self) -> Iterator[Ends]:
        """Packs are ordered by their first ids; packs of two nodes that cut them differently overlap."""
        last = ""
        for page in pages(self._store, ENDED, PACKS, after=_PACKED):
            for key, record in page:
                ends = self._packs.read(key, record)
                yield [(job, end) for job, end in ends if job > last]
                last = max(last, ends[-1][0] if ends else "")

    def expire(self, seconds: int) -> None:
        """Pack them, and let them expire after that many seconds; when the run is over."""
        if not self._is_packed():
            self._pack()
        # One call for all. A reader, or a node that packs after another has crashed here, has all of them
        # from the single records until now, and from the packs from now on.
        self._store.delete_below(ENDED, _PACKED)
        for page in pages(self._store, ENDED, PACKS):
            self._store.set_ttl_all(ENDED, [key for key, _ in page], seconds)

    def _pack(self) -> None:
        for page in self._single():
            if self._is_packed():
                return  # by another node, which removes them now: this part may have holes
            parts = [page[start : start + PACK] for start in range(0, len(page), PACK)]
            self._store.put_if_absent_all(ENDED, [self._packed(part) for part in parts])
        self._store.put_if_absent_all(ENDED, [(_PACKED, _FULL)])

    def _packed(self, ends: Ends) -> tuple[str, bytes]:
        """By its first id, under a key that no pack of other parts has."""
        record = self._packs.written(ends)
        return f"{_PACKED}{ends[0][0]}/{blake2b(record, digest_size=8).hexdigest()}", record

    def _is_packed(self) -> bool:
        return _PACKED in self._store.get_all(ENDED, [_PACKED])

    def _standing(self, job: str, end: Ended, outcome: Outcome) -> Ended:
        return end if outcome.won or outcome.current is None else self._codec.read(job, outcome.current)
