"""ScheduleStore: records by their ids, each write on what it was decided on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import BusyRecordError, RecordError
from scoopi.model.schedule.notice_record import CLOSED, OPEN, NoticeRecord
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    ENDED,
    LIVE,
    PAST,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    SchedulerRecord,
    WorkerRecord,
)
from scoopi.model.schedule.stored_bytes import KeptLog
from scoopi.model.text.store_url import parse_store_url
from scoopi.store.ports import Change, Store, StoreMap
from scoopi.store.postgresql.postgres_client import PostgresClient
from scoopi.store.postgresql.postgres_store import PostgresStore
from scoopi.store.schedule.record_keys import job_key, record_key
from scoopi.store.schedule.schedule_store import BUNDLES, LOGS, SCHEDULE_MAPS, SCHEDULED_JOBS, ScheduleStore
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.cluster.grids import new_run
from tests.scheduler.scenarios.records import attempt_of
from tests.store.faulty_store import Faults, FaultyStore
from tests.store.solo.table_layout import table_layout

KINDS = ("sqlite", "postgresql", "hazelcast")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


FAULTS = Faults(torn=0.3, lost_answers=0.2, deliver_twice=True)


@contextmanager
def backend(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Store]:
    """An empty store of this kind for the scheduler's maps."""
    if kind == "sqlite":
        store: Store = SqliteStore(folder / "schedule.db", maps=SCHEDULE_MAPS)
        yield store
        store.close()
    elif kind == "postgresql":
        with closing(PostgresClient(parse_store_url(request.getfixturevalue("store_database")))) as client:
            yield PostgresStore(client, request.node.name, SCHEDULE_MAPS)
    else:
        with new_run(request.getfixturevalue("cluster"), SCHEDULE_MAPS) as grid:
            yield grid


@pytest.fixture(params=[*(f"{kind}{how}" for kind in KINDS for how in ("", "-faulty"))])
def schedule(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleStore]:
    """The scheduler's records on each backend, as it is, and with writes that are torn, lost and doubled."""
    kind, _, is_faulty = request.param.partition("-")
    with backend(kind, request, tmp_path) as inner:
        tries = 60 if is_faulty else 5
        faulty = FaultyStore(inner, FAULTS, seed=7) if is_faulty else inner
        store = ScheduleStore(SettlingStore(faulty, tries))
        yield store
        store.close()


def process(name: str = "books") -> ProcessRecord:
    return ProcessRecord(name=name, since=NOW)


def job(slot: str, phase: str = ACTIVE) -> JobRecord:
    return JobRecord(process="books", slot=slot, state="embryo", phase=phase, created=NOW, changed=NOW)


def attempt(number: int, phase: str, slot: str = "!1") -> AttemptRecord:
    return attempt_of(process="books", slot=slot, number=number, status="pending", phase=phase)


def test_of_two_writers_that_decided_on_one_record_one_wins(schedule: ScheduleStore) -> None:
    old = process()
    before = schedule.has_written
    assert schedule.write(None, old)
    assert (before, schedule.has_written) == (False, True)
    assert not schedule.write(None, replace(old, requests=9))
    assert schedule.write(old, replace(old, requests=1))
    assert not schedule.write(old, replace(old, requests=2))
    assert schedule.processes() == {"books": replace(old, requests=1)}


def test_an_update_is_repeated_when_another_writer_was_first(schedule: ScheduleStore) -> None:
    schedule.write(None, process())
    met: list[ProcessRecord | None] = []

    def change(old: ProcessRecord | None) -> ProcessRecord | None:
        met.append(old)
        assert old is not None
        if len(met) == 1:
            schedule.write(old, replace(old, requests=5))
        return replace(old, requests=old.requests + 1)

    assert schedule.update(ProcessRecord, "books", change) == replace(process(), requests=6)
    assert [each.requests for each in met if each] == [0, 5]


def test_an_update_can_create_or_leave_a_record(schedule: ScheduleStore) -> None:
    assert schedule.update(ProcessRecord, "books", lambda old: None) is None
    assert schedule.processes() == {}
    assert schedule.update(ProcessRecord, "books", lambda old: process()) == process()


def test_a_record_that_changes_all_the_time_is_an_error(schedule: ScheduleStore) -> None:
    schedule.write(None, process())

    def overtaken(old: ProcessRecord | None) -> ProcessRecord | None:
        assert old is not None
        schedule.write(old, replace(old, requests=old.requests + 1))
        return process()

    with pytest.raises(BusyRecordError, match="the record books keeps changing"):
        schedule.update(ProcessRecord, "books", overtaken)


def test_jobs_are_found_by_id_and_while_they_are_active(schedule: ScheduleStore) -> None:
    for each in (job("!10"), job("!9", ENDED), job("D:2026010100")):
        schedule.write(None, each)
    assert set(schedule.active_jobs()) == {"books/!10", "books/D:2026010100"}
    assert set(schedule.jobs(["books/!9", "books/!11"])) == {"books/!9"}
    assert job_key("books/!9") < job_key("books/!10"), "by number"


def test_records_that_were_read_before_are_read_as_they_are_now(schedule: ScheduleStore) -> None:
    first, second = job("!1"), job("!2")
    for each in (first, second):
        schedule.write(None, each)
    before = schedule.active_jobs()
    changed, over = replace(first, reason="changed"), replace(second, phase=ENDED)
    assert schedule.write(first, changed)
    assert schedule.write(second, over)
    assert before == {"books/!1": first, "books/!2": second}
    assert schedule.active_jobs() == {"books/!1": changed}
    keys = [record_key(each) for each in (first, second, job("!3"))]
    assert schedule.get(JobRecord, keys) == {keys[0]: changed, keys[1]: over}


def test_notices_are_found_until_they_are_sent_and_removed(schedule: ScheduleStore) -> None:
    notice = NoticeRecord(
        notice="books/!1/-/failed/1/ab",
        phase=OPEN,
        event="failed",
        process="books",
        slot="!1",
        at=NOW,
        via=("mail",),
        bundle="b",
    )
    assert schedule.write(None, notice)
    assert not schedule.write(None, replace(notice, reason="a second one"))
    assert [*schedule.scan(NoticeRecord, OPEN)] == [notice]
    closed = replace(notice, phase=CLOSED)
    assert schedule.write(notice, closed)
    assert ([*schedule.scan(NoticeRecord, OPEN)], [*schedule.scan(NoticeRecord, CLOSED)]) == ([], [closed])
    assert schedule.remove([notice]) == []
    assert schedule.remove([closed]) == [closed]
    assert [*schedule.scan(NoticeRecord)] == []


def test_attempts_are_found_by_their_job_and_until_they_are_settled(schedule: ScheduleStore) -> None:
    for each in (attempt(2, LIVE), attempt(1, PAST), attempt(10, UNSETTLED), attempt(1, LIVE, "!10")):
        schedule.write(None, each)
    assert [each.number for each in schedule.attempts_of("books/!1")] == [1, 2, 10]
    assert [each.attempt for each in schedule.open_attempts()] == ["books/!1/2", "books/!10/1", "books/!1/10"]


def test_workers_and_what_passes_share(schedule: ScheduleStore) -> None:
    worker = WorkerRecord(worker="one", incarnation="i")
    schedule.write(None, worker)
    assert schedule.workers() == {"one": worker}
    assert schedule.scheduler() == SchedulerRecord()
    schedule.change_scheduler(lambda old: replace(old, beat=old.beat + 1))
    assert schedule.scheduler().beat == 1


@pytest.mark.parametrize("data", [b"", b"1234", b"12345", b"123456789"])
def test_a_bundle_comes_back_whole_or_not_at_all(
    schedule: ScheduleStore, data: bytes, tmp_path: Path
) -> None:
    assert schedule.bundle("hash") is None
    schedule.put_bundle("hash", data, NOW, part_size=4)
    assert schedule.bundle("hash") == data
    assert schedule.bundle("has") is None


def test_a_store_that_is_closed_releases_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    store = SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)
    close = store.close
    monkeypatch.setattr(store, "close", lambda: ended.append("closed"))
    ScheduleStore(store, lambda: ended.append("released")).close()
    assert ended == ["closed", "released"]
    close()


@pytest.mark.parametrize("removed", [["one/0000"], ["one/0000", "one/0001"]])
def test_a_removal_of_a_bundle_that_was_interrupted_is_continued(tmp_path: Path, removed: list[str]) -> None:
    with closing(SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)) as store:
        schedule = ScheduleStore(store, lambda: None)
        schedule.put_bundle("one", b"0123456789", NOW, 4)
        store.delete_all(BUNDLES, removed)
        assert schedule.remove_bundle("one", NOW)
        assert store.count(BUNDLES) == 0


def test_bundles_and_logs_are_stored_as_bytes_which_take_less_than_text(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)) as store:
        schedule = ScheduleStore(store, lambda: None)
        schedule.put_bundle("one", b"x" * 100_000, NOW, 1 << 20)
        schedule.keep_log(attempt(1, ENDED), KeptLog(fence=1, before=0, data=b"x" * 100_000))
        kept = [record for each in (BUNDLES, LOGS) for _, record in store.scan(each, None, 9)]
    assert [len(record) < 110_000 for record in kept] == [True, True]


def test_of_the_logs_of_an_attempt_that_of_the_latest_claim_is_kept(schedule: ScheduleStore) -> None:
    one = attempt(1, ENDED)
    assert schedule.kept_log(one) is None
    logs = [KeptLog(fence=fence, before=0, data=b"%d" % fence) for fence in (1, 3, 2)]
    for log in logs:
        schedule.keep_log(one, log)
    assert schedule.kept_log(one) == logs[1]
    schedule.keep_log(one, logs[1])
    assert schedule.kept_log(one) == logs[1]
    longer = replace(logs[1], data=b"3, and more")
    schedule.keep_log(one, longer)
    assert schedule.kept_log(one) == longer, "a claim may go on writing"


def test_a_record_is_removed_only_as_it_was_read(schedule: ScheduleStore) -> None:
    jobs = [job("!1", ENDED), job("!2", ENDED), job("!3", ENDED)]
    for each in jobs:
        schedule.write(None, each)
    again = replace(jobs[1], phase=ACTIVE, version=1)
    assert schedule.write(jobs[1], again)
    assert schedule.remove(jobs) == [jobs[0], jobs[2]]
    assert schedule.jobs([each.job for each in jobs]) == {"books/!2": again}
    assert schedule.remove([jobs[0]]) == [jobs[0]], "it is gone already"


def test_a_page_of_records_begins_behind_a_key(schedule: ScheduleStore) -> None:
    for each in (job("!1", ENDED), job("!2"), job("!3", ENDED), job("!4", ENDED)):
        schedule.write(None, each)
    first = schedule.page(JobRecord, ENDED, "", 2)
    assert [each.slot for each in first] == ["!1", "!3"]
    assert [each.slot for each in schedule.page(JobRecord, ENDED, record_key(first[-1]), 2)] == ["!4"]


def test_a_bundle_is_removed_unless_it_was_deployed_again(schedule: ScheduleStore) -> None:
    data, later = b"0123456789", NOW + timedelta(days=1)
    schedule.put_bundle("one", data, NOW, 4)
    schedule.put_bundle("two", data, NOW, 4)
    schedule.put_bundle("two", data, later, 4)
    assert schedule.remove_bundle("one", NOW)
    assert schedule.remove_bundle("one", NOW), "again, as after a crash"
    assert not schedule.remove_bundle("two", NOW)
    assert (schedule.has_bundle("one"), schedule.bundle("one")) == (False, None)
    assert (schedule.has_bundle("two"), schedule.bundle("two")) == (True, data)


def test_a_bundle_with_a_part_that_cannot_be_read_is_removed(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)) as store:
        schedule = ScheduleStore(store, lambda: None)
        schedule.put_bundle("one", b"0123", NOW, 4)
        ((key, part),) = store.scan(BUNDLES, None, 9)
        store.cas_all(BUNDLES, [Change(key, part, b"damaged")])
        with pytest.raises(RecordError):
            schedule.bundle("one")
        assert schedule.remove_bundle("one", NOW)
        assert not schedule.has_bundle("one")


class Deployed(SettlingStore):
    """The project is deployed again just before a part of it is deleted."""

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        ScheduleStore(self._inner, lambda: None).put_bundle("one", b"0123", NOW + timedelta(days=1), 4)
        return super().delete_same_all(store_map, records)


def test_a_project_that_is_deployed_again_while_it_is_removed_stays(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)) as store:
        ScheduleStore(store, lambda: None).put_bundle("one", b"0123", NOW, 4)
        schedule = ScheduleStore(Deployed(store), lambda: None)
        assert not schedule.remove_bundle("one", NOW)
        assert schedule.bundle("one") == b"0123"


def test_the_logs_of_attempts_are_removed(schedule: ScheduleStore) -> None:
    ended = [replace(attempt(number, PAST), has_log=number < 3) for number in (1, 2, 3)]
    for each in ended:
        schedule.keep_log(each, KeptLog(fence=1, before=0, data=b"text"))
    schedule.remove_logs(ended)
    assert [schedule.kept_log(each) is None for each in ended] == [True, True, False]


def test_a_record_that_another_program_wrote_is_named_with_a_hint_for_the_scheduler(tmp_path: Path) -> None:
    raw = SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)
    raw.put_if_absent_all(SCHEDULED_JOBS, [(job_key("books/!1"), b'{"of": "somebody else"}')])
    schedule = ScheduleStore(SettlingStore(raw, 5))
    with pytest.raises(RecordError, match="that Scoopi did not write") as raised:
        schedule.get(JobRecord, [job_key("books/!1")])
    assert raised.value.hint == "restore the records from a backup, or remove this one from the store"
    schedule.close()
    raw.close()


class Signals:
    """Notes what is sent, and calls back at once."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self) -> None:
        self.sent += 1

    def listen(self, heard: Callable[[], object]) -> Signals:
        heard()
        return self

    def close(self) -> None:
        """Nothing listens."""


def test_changes_are_announced_if_the_store_can(tmp_path: Path) -> None:
    heard: list[bool] = []
    with closing(SqliteStore(tmp_path / "schedule.db", maps=SCHEDULE_MAPS)) as store:
        silent, signals = ScheduleStore(store, lambda: None), Signals()
        silent.signal()
        assert silent.listen(lambda: heard.append(True)) is None
        announcing = ScheduleStore(store, lambda: None, signals)
        announcing.signal()
        assert announcing.listen(lambda: heard.append(True)) is signals
    assert (signals.sent, heard) == (1, [True])


def test_without_records_nothing_is_removed(schedule: ScheduleStore) -> None:
    nothing: list[JobRecord] = []
    assert schedule.remove(nothing) == []


def test_tables_of_long_records_have_rowids_so_that_new_ones_are_appended(tmp_path: Path) -> None:
    ScheduleStore(SqliteStore(tmp_path / "state.db", maps=SCHEDULE_MAPS)).close()
    assert table_layout(tmp_path / "state.db") == (
        4,
        {
            "process": (None, False),
            "job": ("phase", True),
            "attempt": ("phase", True),
            "worker": (None, False),
            "bundle": (None, True),
            "pass": (None, False),
            "log": (None, True),
            "notice": ("phase", True),
        },
    )
