"""State: the state of a scheduler: its records, its unpacked projects, and the folders of attempts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from scoopi.configs.groups import ClusterSettings
from scoopi.defs.schedule.schedule_reader import CheckScrape, read_schedule
from scoopi.errors import DamagedBundleError, DefsError, RecordError, StoreError, UsageError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.process_change import ProcessChange
from scoopi.model.schedule.schedule_records import STATE_FORMAT, AttemptRecord, ProcessRecord, SchedulerRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.model.text.store_url import StoreUrl
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.planning.evaluations import with_interval
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import last_fire_before
from scoopi.serve import bundle
from scoopi.serve.passes import Passes
from scoopi.serve.services.process_changes import (
    change_here,
    changed_by_hand,
    deployment_changes,
    is_defined,
)
from scoopi.serve.wake_ups import notify_all
from scoopi.serve.work.run_specs import NEEDS_STORE
from scoopi.serve.workers.worker_name import dead_workers
from scoopi.store.schedule.store_opening import open_schedule_store

log = logging.getLogger(__name__)
_ANSWER_S = 4.0
"""For how long, in seconds, a process that shuts down waits for its store; each failure halves it."""
_DEPLOYED = "deployed"
"""File of a state folder: the digest of the project that was deployed from here last."""


class State:
    """The state of a scheduler: its records, and a folder with unpacked projects and folders of attempts.

    Several processes may use it at the same time.

    Args:
        folder: a folder of this machine; created with mode 0700 if it does not exist.
        url: URL of a store that processes of several machines share; None: the records are in a SQLite file
            in the folder.
        cluster: settings of the connection if the URL names a Hazelcast cluster; by default without TLS and
            password.
    Attributes:
        is_shared: processes of other machines may use the records.
        is_store_away: the store did not answer when the worker signed off, so nothing more is written to it
            at the exit; other processes find the worker lost by its missing heartbeats.
        name: the folder, or the URL of the store without its password.
    Raises:
        UsageError: the folder cannot be created.
        StoreError, ClusterError: the records cannot be opened, or a newer Scoopi has written them.
    """

    def __init__(
        self, folder: Path, url: StoreUrl | None = None, cluster: ClusterSettings | None = None
    ) -> None:
        self.folder = folder
        self.name = str(folder) if url is None else url.shown
        self.is_shared = url is not None
        self.is_store_away = False
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            what = f"{folder} cannot be the folder of the scheduler's state: {error.strerror}"
            raise UsageError(what, hint="--state DIR names another folder") from error
        self.store = open_schedule_store(folder, url, cluster)
        try:
            self._ensure_format()
        except BaseException:
            self.store.close()
            raise
        self.passes = Passes(self.store, self.current)
        self._read = lru_cache(maxsize=8)(self._schedule_of)

    def __enter__(self) -> State:
        return self

    def __exit__(self, *error: object) -> None:
        has_written = self.store.has_written
        try:
            if has_written and self.is_shared and not self.is_store_away:
                self.ask_for_pass()
                self.store.signal()
        finally:
            self.store.close()
        if has_written:
            notify_all(self.folder)

    def _ensure_format(self) -> None:
        found = self.store.scheduler().state_format
        if found > STATE_FORMAT:
            what = f"{self.name} is of a newer Scoopi: format {found}, this one knows {STATE_FORMAT}"
            raise StoreError(what, hint="upgrade this Scoopi, or use another --state or --store")

    def notify(self, but: str = "") -> None:
        """Wake the `serve` processes of this folder except one, and those elsewhere if the store can."""
        notify_all(self.folder, but)
        if not self.is_store_away:
            self.store.signal()

    def limit_waits(self, hard: bool = False) -> None:
        """Wait less long for the store from now on, as this process shuts down; callable from any thread.

        `hard` is unused: callbacks of signals get it.
        """
        self.store.limit_waits(_ANSWER_S)

    def ask_for_pass(self) -> None:
        """Request a pass, which a `serve` of another machine runs at its next heartbeat."""
        try:
            self.store.change_scheduler(
                lambda old: None if old.is_requested else changed(old, is_requested=True)
            )
        except StoreError as error:
            log.info("no pass was asked for: %s", error)

    def observed(self, now: datetime) -> Snapshot:
        """Return the snapshot of a pass at this time, with the workers of this folder that have died."""
        snapshot = self.passes.snapshot(now)
        return replace(snapshot, dead=dead_workers(self.folder, snapshot.workers.values()))

    def current(self) -> tuple[str, Schedule]:
        """Return the digest and the definitions of the current project; empty before the first deployment."""
        name = self.store.scheduler().bundle
        return name, self.schedule(name)

    def schedule(self, name: str) -> Schedule:
        """Return the definitions of a deployed project by its digest; empty ones for an empty digest.

        Raises:
            UsageError: the project is not in the store.
            DefsError: this version of Scoopi finds errors in its definitions.
        """
        return self._read(name) if name else Schedule({})

    def process(self, attempt: AttemptRecord) -> Process:
        """Return the process of an attempt, as it was defined when the attempt was created.

        Raises:
            DefsError: those definitions do not have the process.
            UsageError: those definitions are not in the store.
        """
        process = self._read(attempt.bundle).process(attempt.process)
        if process is None:
            raise DefsError(f"process {attempt.process} is not part of bundle {attempt.bundle}")
        return process

    def project(self, name: str) -> Path:
        """Return the folder with the unpacked files of a project by its digest.

        Raises:
            UsageError: the project is not in the store.
            DamagedBundleError: its bundle in the store is damaged.
        """
        folder = self.folder / "bundles" / name
        if folder.is_dir():
            return folder
        try:
            data = self.store.bundle(name)
        except RecordError as error:
            raise bundle.damaged(name) from error
        if data is None:
            raise UsageError(f"bundle {name} is not in the store", hint="deploy the project again")
        return bundle.unpack(name, data, self.folder / "bundles")

    def deploy(
        self,
        project: Path,
        check_scrape: CheckScrape | None,
        now: datetime,
        *,
        dry_run: bool = False,
        by: str = "",
        warn: Callable[[str], object] = log.warning,
    ) -> list[dict[str, Any]]:
        """Check a project, store it and make it current.

        Args:
            check_scrape: see `read_schedule`; with None, names in processes are not looked up.
            dry_run: check and compare, but store nothing.
            by: the name of the user, which is recorded with each process that is changed.
            warn: called with the report if it has warnings but no errors.
        Returns:
            A row for each process that is added, changed or removed: `process`, `change`, `jobs` (the number
            of its active jobs), and `effect` (what becomes of these jobs; None if there are none).
        Raises:
            DefsError: the project has errors, or wants several nodes of a run, which records on one machine
                do not allow; nothing is stored.
        """
        schedule, report = read_schedule(project, check_scrape, now)
        report.raise_if_errors()
        if not self.is_shared:
            _ensure_one_node(schedule)
        if report.warnings:
            warn(report.text())
        name, data = bundle.pack(project)
        is_current = name == self.store.scheduler().bundle
        before = schedule.processes if is_current else self._deployed()
        rows = deployment_changes(before, schedule.processes, self.store.active_jobs().values())
        if not dry_run:
            self.store.put_bundle(name, data, now, bundle.PART_SIZE)
            since = now.replace(microsecond=0)  # slots of `every` are counted, and named, from it
            for process in schedule.processes:
                self.store.write(None, ProcessRecord(name=process, since=since))
            for row in rows:
                change = change_here(row["change"], now, by, f"bundle {name[:12]}")
                self._note(row["process"], change, schedule.processes.get(row["process"]))
            self.store.change_scheduler(lambda record: _with_bundle(record, name, now))
            (self.folder / _DEPLOYED).write_text(name)
        return rows

    def replaced_since(self, project: Path) -> datetime | None:
        """Return when another node replaced the project that this node deployed last; None if it may deploy.

        A `serve` that is restarted with the same project, such as an old pod in a rolling update, must not
        make this project current again. A project whose files have changed since is deployed.

        Raises:
            DefsError: the project cannot be packed.
        """
        path = self.folder / _DEPLOYED
        record, own = self.store.scheduler(), path.read_text() if path.exists() else ""
        is_replaced = own not in ("", record.bundle) and project.exists() and own == bundle.pack(project)[0]
        return record.former.get(own) if is_replaced else None

    def _note(self, name: str, change: ProcessChange, process: Process | None) -> None:
        """Record a change of a process, unless it is recorded; once added again, it skips earlier fires."""

        def noted(old: ProcessRecord | None) -> ProcessRecord | None:
            if old is None or (old.changes and old.changes[-1].is_repeated_by(change)):
                return None
            last = None
            if process is not None and change.change == "added":
                last = last_fire_before(with_interval(process, old), old, change.at)
            return changed_by_hand(old, change, **({} if last is None else {"last_fire": last}))

        self.store.update(ProcessRecord, name, noted)

    def _deployed(self) -> Mapping[str, Process | None]:
        """The processes of the current project by name; None for each if it can no longer be read."""
        try:
            return self.current()[1].processes
        except (DamagedBundleError, DefsError, UsageError) as error:
            log.warning("what this deployment changes is not known, all counts as changed: %s", error)
            found = self.store.processes().items()
            return {name: None for name, record in found if is_defined(record)}

    def _schedule_of(self, name: str) -> Schedule:
        root = self.project(name)
        schedule, report = read_schedule(root, None)
        report.raise_if_errors()
        processes = {each: _placed(process, root) for each, process in schedule.processes.items()}
        return msgspec.structs.replace(schedule, processes=processes)


def _with_bundle(record: SchedulerRecord, name: str, now: datetime) -> SchedulerRecord | None:
    """The record with this project as the current one; None if it is current already."""
    if record.bundle == name:
        return None
    former = {each: at for each, at in record.former.items() if each != name}
    former |= {record.bundle: now} if record.bundle else {}
    return changed(record, bundle=name, former=former, is_requested=True)


def _placed(process: Process, root: Path) -> Process:
    """A process whose place is relative to the project, as users know it, not to the folder of its bundle."""
    file = Path(process.place.file).relative_to(root).as_posix()
    return msgspec.structs.replace(process, place=msgspec.structs.replace(process.place, file=file))


def _ensure_one_node(schedule: Schedule) -> None:
    for process in schedule.processes.values():
        if process.executes.nodes > 1:
            what = f"executes: {process.executes.nodes} nodes of {process.name} need a store that they share"
            raise DefsError(what, at=str(process.place), hint=NEEDS_STORE)
