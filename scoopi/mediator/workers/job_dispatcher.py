"""JobDispatcher: holds the jobs that wait in this node, and gives them to workers as hosts allow."""

from __future__ import annotations

from collections.abc import Iterable

from injector import inject
from msgspec.structs import replace

from scoopi.mediator.held_jobs import NOT_SAFE, Pending
from scoopi.mediator.sessions import Sessions
from scoopi.mediator.task_queues import GrantRequest, TaskQueues
from scoopi.mediator.workers.denied_jobs import Denial, DeniedJobs
from scoopi.mediator.workers.file_turns import FileTurns
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.robots_gate import Clearance, RobotsGate, Verdict
from scoopi.mediator.workers.sending_notes import SendingNotes
from scoopi.mediator.workers.worker_pool import PoolWorker, WorkerPool
from scoopi.model.text.shown import shown
from scoopi.politeness.host_rate_limiter import FILE_HOST
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Denied, FileEnded, Granted, ToParent, WorkItem


class JobDispatcher:
    """Holds the jobs that wait in this node, and gives them to workers as hosts and workers allow.

    Belongs to the task runner's thread.

    Attributes:
        denied: the jobs that have ended because their pages must not be requested.
        notes: which requests that must not be sent twice may be sent.
    """

    @inject
    def __init__(
        self,
        pool: WorkerPool,
        queues: TaskQueues,
        quarantine: Quarantine,
        denied: DeniedJobs,
        robots: RobotsGate,
        sessions: Sessions,
    ) -> None:
        self._robots = robots
        self._files = FileTurns()
        self._unfit: list[Pending] = []
        self._pool = pool
        self._queues = queues
        self._limiter = queues.limiter
        self._quarantine = quarantine
        self.denied = denied
        self.notes = SendingNotes(queues.wake)
        self._sessions = sessions

    def add(self, jobs: Iterable[Pending]) -> None:
        """Queue jobs."""
        for pending in jobs:
            self._queues.add(pending)

    def clear(self, *, keeps_grants: bool = False) -> list[Pending]:
        """Remove and return all jobs that wait.

        Args:
            keeps_grants: whether requests for grants of jobs in workers stay; else they are dropped.
        """
        cleared = self._queues.clear(keeps_grants=keeps_grants) + self._quarantine.clear()
        self.notes.clear()
        for pending in cleared:
            if pending.is_robots:
                self._robots.dropped(pending)
        return cleared

    def take_unfit(self) -> list[Pending]:
        """Remove and return the jobs whose host rests, or whose budget is used up."""
        unfit, self._unfit = self._unfit, []
        return unfit

    def is_empty(self) -> bool:
        """Whether no job waits here."""
        return not (self._queues.total or len(self._quarantine))

    def next_turn_in(self) -> float:
        """Seconds until a sleeping host can be asked, or a worker may have room; infinity if unknown."""
        turn_in = self._queues.next_turn_in()
        return min(turn_in, self._pool.stalls_in()) if self._queues.total else turn_in

    def has_quarantined(self) -> bool:
        """Whether jobs wait to run alone; no event announces when they may."""
        return len(self._quarantine) > 0

    def needed_hosts(self) -> set[str]:
        """Hosts for which jobs wait here, or of which jobs in workers need a further grant.

        Approximate, as they change all the time; may be called from any thread.
        """
        waiting = {*self._queues.waiting_hosts(), *self._queues.grant_hosts()}
        return (waiting | self._quarantine.hosts()) - {FILE_HOST}

    def forget(self, worker: PoolWorker) -> None:
        """Drop the requests of a worker that has ended."""
        self._queues.forget_worker(worker)
        self._files.forget(worker)
        self._sessions.forget(worker)
        for job, host in worker.requests.items():
            self._limiter.abandoned(host, job)
            self._queues.wake(host)

    def handle(self, worker: PoolWorker, message: ToParent) -> None:
        """Act on a worker's message if it concerns sessions, or a file that other jobs wait for."""
        if isinstance(message, FileEnded):
            self._files.end(message.job)
        self._sessions.handle(worker, message)

    def judge(self, worker: PoolWorker, how: str, running: RunningTask) -> None:
        """Queue or quarantine the jobs of a worker that has crashed; see `Quarantine.judge`."""
        self.add(self._quarantine.judge(worker, how, running))

    def end_sent(self, worker: PoolWorker, how: str) -> None:
        """Fail the jobs of a worker that has crashed whose requests must not be sent again.

        Args:
            how: how the worker ended, as `WorkerLink.reap` returns it.
        """
        for job, pending in list(worker.outstanding.items()):
            if pending.sends_once:
                del worker.outstanding[job]
                cause = f"the worker that loaded the page died: {how}"
                self.denied.end(pending, Denial(False, cause, f"{cause}; {NOT_SAFE}"))

    def dispatch(self) -> None:
        """Give workers all jobs and grants that hosts and workers allow now."""
        self._limiter.flush()
        self._robots.take_up()
        self._queues.serve(self._serve_host)
        if len(self._quarantine):
            self._serve_quarantine()
        else:
            self._pool.end_alone()

    def _serve_host(self, host: str) -> bool:
        """Give out what the host and the workers allow; False when no worker has room."""
        while (request := self._queues.next_grant_request(host)) is not None:
            verdict = self._verdict_on(host, request)
            if verdict is Clearance.WAITS:
                break
            if verdict is not Clearance.CLEAR:
                self._queues.pop_grant_request(host)
                if isinstance(verdict, Denial):
                    request.worker.link.send(_denied(request.job, verdict))
                self._files.end(request.job)
                continue
            if request.file and self._files.waits(request):
                self._queues.pop_grant_request(host)
                continue
            grant = self._limiter.grant(host, request.job)
            if grant is None:
                self._queues.sleep(host)
                return True
            self._queues.pop_grant_request(host)
            self._files.begin(request)
            request.worker.slots.begin_next(request.job, host)
            request.worker.link.send(Granted(request.job, grant))
        return self._serve_jobs(host)

    def _verdict_on(self, host: str, request: GrantRequest) -> Verdict:
        """As `RobotsGate.verdict`; GONE for a job that was handed back since it asked."""
        pending = request.worker.outstanding.get(request.job)
        if pending is None:
            return Clearance.GONE
        if not request.url:  # of a login, which the definitions ask for
            return Clearance.CLEAR
        if pending.is_robots:
            return Clearance.CLEAR
        found = self._robots.verdict(host, request.url, request.public_only)
        if isinstance(found, Denial) and found.is_rule:
            rule = found.message.removeprefix(f"{host}: ")
            return replace(found, message=f"{shown(request.url)}: {rule}")  # it stands in no locator
        return found

    def _serve_jobs(self, host: str) -> bool:
        if host != FILE_HOST and self._limiter.is_left_alone(host):
            self._unfit += self._queues.take_jobs(host)
        standing = self._limiter.standing(host)
        lets_all = self._robots.lets_all(host)
        while (pending := self._queues.next_job(host)) is not None:
            if self._queues.is_late(pending):
                self._unfit.append(self._queues.pop_job(host))
                continue
            verdict = Clearance.CLEAR if lets_all else self._verdict(host, pending)
            if verdict is Clearance.CLEAR and not self.notes.allow(pending):
                verdict = Clearance.WAITS
            if isinstance(verdict, Denial):
                self.denied.end(self._queues.pop_job(host), verdict)
                continue
            if verdict is Clearance.WAITS:
                return True
            chosen = self._pool.choose(host != FILE_HOST, standing, pending.is_robots)
            if chosen is None:
                return False
            item = self._allowed(host, pending)
            if item is None:
                self._queues.sleep(host)
                return True
            self.notes.forget(pending)
            chosen.add(self._queues.begin_job(host), item, standing)
        return True

    def _verdict(self, host: str, pending: Pending) -> Verdict:
        if pending.is_robots or host == FILE_HOST:
            return Clearance.CLEAR
        payload = pending.taken.payload
        return self._robots.verdict(host, payload.locator.url, payload.public_only)

    def _allowed(self, host: str, pending: Pending) -> WorkItem | None:
        """The job as a worker gets it, with a grant; None when the host must not be asked yet."""
        if host == FILE_HOST:
            return pending.item()
        grant = self._limiter.grant(host, pending.taken.id)
        return None if grant is None else pending.item(grant)

    def _serve_quarantine(self) -> None:
        """Give the worker for quarantined jobs the first one whose host may be asked now."""
        worker = self._pool.start_alone()
        if not worker.has_room(needs_request=False):
            return
        refused: set[str] = set()
        for pending in self._quarantine:
            host = FILE_HOST if pending.archived else pending.taken.host
            verdict = self._verdict(host, pending)
            if isinstance(verdict, Denial):
                self._quarantine.pop(pending)
                self.denied.end(pending, verdict)
                return
            is_noted = self.notes.allow(pending)
            is_free = host not in refused and verdict is Clearance.CLEAR and is_noted
            item = self._allowed(host, pending) if is_free else None
            if item is not None:
                self._quarantine.pop(pending)
                self.notes.forget(pending)
                worker.add(pending, item)
                return
            refused.add(host)


def _denied(job: str, denial: Denial) -> Denied:
    return Denied(job, denial.is_rule, denial.cause, denial.message)
