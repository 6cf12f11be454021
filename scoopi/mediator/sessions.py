"""Sessions: the sessions of sites on this node, and which job logs in to one."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field

from injector import inject
from msgspec.structs import replace

from scoopi.mediator.shared_sessions import SharedSessions
from scoopi.mediator.workers.worker_pool import PoolWorker, WorkerPool
from scoopi.model.site_session import Session, SessionChange
from scoopi.worker.messages import (
    JobsHandedBack,
    Ready,
    RequestEnded,
    Results,
    SessionChanged,
    SessionRequested,
    SessionTurn,
    SessionUpdate,
    ToParent,
)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Site:
    """One session, the jobs that wait for its login, and the id of the job that logs in, empty for none."""

    session: Session
    waiting: deque[tuple[PoolWorker, str]] = field(default_factory=deque)
    login_job: str = ""


class Sessions:
    """Keeps the sessions of sites on this node, and decides which job logs in to one.

    The other jobs of the site wait in their workers meanwhile; each worker learns of the login.

    Belongs to the task runner's thread.

    Args:
        shared: the sessions of all nodes; None if there are none.
    """

    @inject
    def __init__(self, pool: WorkerPool, shared: SharedSessions | None = None) -> None:
        self._pool = pool
        self._shared = shared
        self._sites: dict[str, _Site] = {}
        self._by_job: dict[str, str] = {}

    def handle(self, worker: PoolWorker, message: ToParent) -> None:
        """Act on a worker's message if it concerns sessions; call this after its other effects."""
        if isinstance(message, RequestEnded):
            return  # as most messages are
        if isinstance(message, SessionRequested):
            self.ask(worker, message.job, message.session, message.version)
        elif isinstance(message, SessionChanged):
            self.change(message.change)
        elif isinstance(message, Ready):
            self.greet(worker)
        elif self._by_job and isinstance(message, Results | JobsHandedBack):
            jobs = (
                message.jobs
                if isinstance(message, JobsHandedBack)
                else [each.job for each in message.results]
            )
            for job in jobs:
                self.released(job)

    def greet(self, worker: PoolWorker) -> None:
        """Send a new worker all sessions."""
        for site in self._sites.values():
            worker.link.send(SessionUpdate(site.session))

    def ask(self, worker: PoolWorker, job: str, name: str, version: int) -> None:
        """Send a job's worker the session if it has more than `version` logins, else let the job wait for it.

        A session whose login has failed is sent too.
        """
        site = self._of(name)
        if site.session.failed or site.session.version > version:
            worker.link.send(SessionUpdate(site.session))
            return
        site.waiting.append((worker, job))
        self._appoint(site)

    def change(self, change: SessionChange) -> None:
        """Apply what a page or a login has changed in a session, and send the session to all workers."""
        site = self._of(change.name)
        site.session = site.session.with_changes(change)
        if change.login and change.job == site.login_job:
            self._end_login(site, change)
        self._broadcast(site)
        if self._shared is not None:
            self._shared.changed(site.session, change)
        self._appoint(site)

    def released(self, job: str) -> None:
        """Note that a job is no longer in a worker; if it was to log in, choose another one."""
        name = self._by_job.pop(job, None)
        if name is not None:
            site = self._of(name)
            site.login_job = ""
            if self._shared is not None:
                self._shared.release(name)
            self._appoint(site)

    def forget(self, worker: PoolWorker) -> None:
        """Drop the jobs of a worker that has ended: they neither wait nor log in."""
        for site in self._sites.values():
            site.waiting = deque(each for each in site.waiting if each[0] is not worker)
        for job in worker.outstanding:
            self.released(job)

    def learn(self, session: Session) -> None:
        """Take over a session that other nodes, or an earlier process of this one, have changed in the store.

        Also called when this node has become the one that may log in to it, so a job that waits may begin.
        """
        site = self._of(session.name)
        known = site.session
        newer = known
        if session.version >= known.version:
            newer = session if self._shared is None else self._shared.with_own(session)
        merged = replace(newer, failed=known.failed or session.failed)
        if merged != known:
            site.session = merged
            if merged.version > known.version or merged.failed:
                site.waiting.clear()
            self._broadcast(site)
        if site.waiting:
            self._appoint(site)
        elif self._shared is not None and not site.login_job:
            self._shared.release(session.name)

    def _end_login(self, site: _Site, change: SessionChange) -> None:
        self._by_job.pop(site.login_job, None)
        site.login_job = ""
        if self._shared is not None:
            self._shared.release(change.name)
        if change.login == "done":
            site.session = replace(site.session, version=site.session.version + 1)
            site.waiting.clear()
            log.info("logged in to %s", change.name)
        elif change.login == "failed":
            site.session = replace(site.session, failed=change.message)
            site.waiting.clear()
            log.warning("%s: %s; no more requests to this site", change.name, change.message)
        else:
            log.info(
                "the login to %s did not come to its end, and is tried again: %s", change.name, change.message
            )

    def _appoint(self, site: _Site) -> None:
        while site.waiting and not site.login_job:
            worker, job = site.waiting[0]
            is_there = job in worker.outstanding
            if is_there and self._shared is not None and not self._shared.may_log_in(site.session.name):
                return
            site.waiting.popleft()
            if is_there:
                site.login_job = job
                self._by_job[job] = site.session.name
                worker.link.send(SessionTurn(job))

    def _broadcast(self, site: _Site) -> None:
        for worker in self._pool:
            worker.link.send(SessionUpdate(site.session))

    def _of(self, name: str) -> _Site:
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = _Site(Session(name))
        return site
