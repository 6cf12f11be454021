"""The messages between the parent and a worker, as tagged msgpack arrays."""

from __future__ import annotations

import msgspec

from scoopi.errors import LoadFault
from scoopi.model.failure import Failure
from scoopi.model.handover import Grant
from scoopi.model.job import JobPayload, JobState
from scoopi.model.robots import RobotsAnswer
from scoopi.model.site_session import Session, SessionChange

NETWORK, ARCHIVE, FILE = "network", "archive", "file"
"""Where a page came from."""


class WorkItem(msgspec.Struct, frozen=True, array_like=True):
    """A job given to a worker.

    Attributes:
        fence: the fence with which this node took the job.
        grant: the grant for its first request; None if it needs no network now (file, archive).
        archived: whether the archive has the page, fresh enough; if it is gone, the worker asks for a grant.
        failures: failures of tasks that do not run, because they crashed their worker or took too long.
        tried: the reason of each attempt that failed before this one.
        is_robots: whether the page is a robots.txt, which is parsed here and reported by `RobotsRead`.
    """

    job: str
    fence: int
    payload: JobPayload
    grant: Grant | None = None
    archived: bool = False
    failures: tuple[Failure, ...] = ()
    tried: tuple[str, ...] = ()
    is_robots: bool = False


class Child(msgspec.Struct, frozen=True, array_like=True):
    """A job made from a link."""

    id: str
    host: str
    payload: JobPayload


class PageSeen(msgspec.Struct, frozen=True, array_like=True):
    """How a page was loaded, for its line in the log.

    Attributes:
        status: HTTP status; 0 without a response.
        ms: duration of the last request, or of reading, in milliseconds.
        source: NETWORK, ARCHIVE or FILE.
    """

    status: int
    size_bytes: int
    ms: float
    source: str


class Result(msgspec.Struct, frozen=True, array_like=True):
    """A job that has finished in this worker.

    Attributes:
        body: its encoded Frame.
        rows: number of rows in the frame.
        fault: why its page, or a file of it, could not be loaded; None if it was.
        seen: how its page was loaded; None if pages are not logged.
        finds: what counts only if the job is not tried again; see `FoundValues.counts_of`.
    """

    job: str
    fence: int
    state: JobState
    pages: int
    body: bytes
    children: tuple[Child, ...] = ()
    failures: tuple[Failure, ...] = ()
    rows: int = 0
    fault: LoadFault | None = None
    seen: PageSeen | None = None
    finds: dict[str, float] = {}


class Setup(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """The first message: the plan from which the worker is wired, encoded by `bootstrap`."""

    plan: bytes


class Assign(msgspec.Struct, frozen=True, tag=2, array_like=True):
    """The parent assigns these jobs to the worker."""

    items: tuple[WorkItem, ...]


class Granted(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """A job that asked for a grant may send its request."""

    job: str
    grant: Grant


class Denied(msgspec.Struct, frozen=True, tag=14, array_like=True):
    """A job that asked for a grant must not send its request.

    Attributes:
        is_rule: whether robots.txt disallows the page, so that the job is skipped; otherwise it fails.
        cause, message: the reason, as in `Failure`.
    """

    job: str
    is_rule: bool
    cause: str
    message: str


class Drain(msgspec.Struct, frozen=True, tag=4, array_like=True):
    """The worker hands back jobs that have not begun, and finishes the others; no more jobs follow."""


class Recall(msgspec.Struct, frozen=True, tag=13, array_like=True):
    """The worker hands back jobs that have not begun; more jobs may follow."""


class Stop(msgspec.Struct, frozen=True, tag=5, array_like=True):
    """The worker ends once all jobs that it was given have ended."""


class Ready(msgspec.Struct, frozen=True, tag=6, array_like=True):
    """The worker is wired and waits for jobs."""


class StartFault(msgspec.Struct, frozen=True, tag=7, array_like=True):
    """The worker cannot be wired; the run cannot continue."""

    message: str


class Sent(msgspec.Struct, frozen=True, tag=8, array_like=True):
    """A request with a paced grant was sent.

    Attributes:
        at: monotonic time in seconds.
    """

    job: str
    host: str
    at: float


class RequestEnded(msgspec.Struct, frozen=True, tag=9, array_like=True):
    """A granted request is over, whether it was sent or not.

    Attributes:
        heard: whether the host answered; None if that is not known, for example because it was not sent.
        fault: why the request failed; None if it returned a page or a redirect.
        sent_at: when it was sent, as monotonic time in seconds, if its grant was not paced; None otherwise,
            see `Sent`.
    """

    job: str
    host: str
    heard: bool | None = None
    fault: LoadFault | None = None
    sent_at: float | None = None


class GrantRequested(msgspec.Struct, frozen=True, tag=10, array_like=True):
    """A job waits for a grant for a request to this host.

    Attributes:
        url: the URL to request; empty if robots.txt does not apply.
        public_only: see `Request`.
        file: the URL of the file that it downloads, from which redirects may have led to `url`; empty for a
            page.
    """

    job: str
    host: str
    url: str = ""
    public_only: bool = False
    file: str = ""


class FileEnded(msgspec.Struct, frozen=True, tag=25, array_like=True):
    """A job's request for a file has ended, with the file or an error."""

    job: str


class RobotsRead(msgspec.Struct, frozen=True, tag=15, array_like=True):
    """The rules of a host's robots.txt, or why it could not be loaded; ends the job that loaded it."""

    job: str
    answer: RobotsAnswer


class JobsHandedBack(msgspec.Struct, frozen=True, tag=11, array_like=True):
    """These jobs were not run; requests for their pages may have been sent, but no page was received."""

    jobs: tuple[str, ...]


class Results(msgspec.Struct, frozen=True, tag=12, array_like=True):
    """A batch of finished jobs.

    Attributes:
        times: step -> seconds since the last batch.
        finds: counter -> what was counted since the last batch, see `FoundValues.take`.
    """

    results: tuple[Result, ...]
    times: dict[str, float]
    finds: dict[str, float] = {}


class SessionRequested(msgspec.Struct, frozen=True, tag=21, array_like=True):
    """A job waits for a session whose version, the number of its logins, is higher than `version`."""

    job: str
    session: str
    version: int


class SessionChanged(msgspec.Struct, frozen=True, tag=22, array_like=True):
    """A page or a login has changed a session."""

    change: SessionChange


class SessionUpdate(msgspec.Struct, frozen=True, tag=23, array_like=True):
    """The current state of a site's session; jobs that wait for it continue."""

    session: Session


class SessionTurn(msgspec.Struct, frozen=True, tag=24, array_like=True):
    """The job that waits for a session logs in."""

    job: str


class FileSettled(msgspec.Struct, frozen=True, tag=26, array_like=True):
    """Another job's request for the file that this job waits for has ended."""

    job: str


ToWorker = (
    Setup | Assign | Granted | Denied | Drain | Recall | Stop | SessionUpdate | SessionTurn | FileSettled
)
ToParent = (
    Ready
    | StartFault
    | Sent
    | RequestEnded
    | GrantRequested
    | FileEnded
    | RobotsRead
    | JobsHandedBack
    | Results
    | SessionRequested
    | SessionChanged
)
