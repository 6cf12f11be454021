"""The messages between the parent and a worker: msgpack, tagged, one at a time."""

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
        fence: of its take.
        grant: for its first request; None when it needs no network now (file, archive).
        archived: the archive has the page, fresh enough; if it is gone, the worker asks for a grant.
        failures: of tasks that are skipped, because they killed their worker.
        tried: the reason of each attempt that failed before this one.
        is_robots: the page is a robots.txt, which is read here and reported by `RobotsRead`.
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
        status: of the answer; 0 without one.
        source: NETWORK, ARCHIVE or FILE.
        ms: of the last request, or of reading.
    """

    status: int
    size_bytes: int
    ms: float
    source: str


class Result(msgspec.Struct, frozen=True, array_like=True):
    """A job that has finished in this worker; `body` is its Frame, encoded, which has `rows` rows.

    Attributes:
        fault: why its page could not be loaded; None if it was.
        seen: how its page was loaded; None if pages are not logged.
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


class Setup(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """The first message: all that a worker is wired from, as the wiring room packed it."""

    plan: bytes


class Give(msgspec.Struct, frozen=True, tag=2, array_like=True):
    """The parent gives these jobs."""

    items: tuple[WorkItem, ...]


class Granted(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """A job that asked for a further request may send it."""

    job: str
    grant: Grant


class Denied(msgspec.Struct, frozen=True, tag=14, array_like=True):
    """A job that asked for a further request must not send it.

    Attributes:
        is_rule: robots.txt disallows the page, so the job is skipped; otherwise it fails.
        cause, message: why, as in `Failure`.
    """

    job: str
    is_rule: bool
    cause: str
    message: str


class Drain(msgspec.Struct, frozen=True, tag=4, array_like=True):
    """The parent wants back what has not begun; what has begun is to end."""


class Recall(msgspec.Struct, frozen=True, tag=13, array_like=True):
    """The parent wants back what has not begun; more is given later."""


class Stop(msgspec.Struct, frozen=True, tag=5, array_like=True):
    """The worker is to end when all that was given has ended."""


class Ready(msgspec.Struct, frozen=True, tag=6, array_like=True):
    """The worker is wired and waits for jobs."""


class StartFault(msgspec.Struct, frozen=True, tag=7, array_like=True):
    """The worker cannot be wired; the run cannot continue."""

    message: str


class Sent(msgspec.Struct, frozen=True, tag=8, array_like=True):
    """A request with a paced grant went out `at` (monotonic seconds)."""

    job: str
    host: str
    at: float


class Answered(msgspec.Struct, frozen=True, tag=9, array_like=True):
    """A granted request is over, sent or not.

    Attributes:
        heard: whether the host answered it; None: that is not known, for instance because it was not sent.
        fault: what the failed request says about its host; None if it brought a page or a redirect.
        sent_at: when it went out (monotonic seconds), if its grant was not paced; None: see `Sent`.
    """

    job: str
    host: str
    heard: bool | None = None
    fault: LoadFault | None = None
    sent_at: float | None = None


class Asking(msgspec.Struct, frozen=True, tag=10, array_like=True):
    """A job waits for the grant of a (further) request to this host.

    Attributes:
        url: what it would ask for.
        public_only: see `Request`.
        file: the address of the file that it wants, from which redirects may have led to `url`; empty for
            a page.
    """

    job: str
    host: str
    url: str = ""
    public_only: bool = False
    file: str = ""


class FileOver(msgspec.Struct, frozen=True, tag=25, array_like=True):
    """The request of a job for a file has ended: the file is there, or it is known why it is not."""

    job: str


class RobotsRead(msgspec.Struct, frozen=True, tag=15, array_like=True):
    """What a host's robots.txt says, or why it did not come; ends the job that was to read it."""

    job: str
    answer: RobotsAnswer


class JobsHandedBack(msgspec.Struct, frozen=True, tag=11, array_like=True):
    """These jobs were not begun; at most a request for their page was sent and failed to bring it."""

    jobs: tuple[str, ...]


class Results(msgspec.Struct, frozen=True, tag=12, array_like=True):
    """A batch of finished jobs; seconds by step and the values found since the last batch."""

    results: tuple[Result, ...]
    times: dict[str, float]
    finds: dict[str, float] = {}


class SessionAsked(msgspec.Struct, frozen=True, tag=21, array_like=True):
    """A job waits for a session with more logins than `version`."""

    job: str
    session: str
    version: int


class SessionChanged(msgspec.Struct, frozen=True, tag=22, array_like=True):
    """A page or a login has changed a session."""

    change: SessionChange


class SessionNews(msgspec.Struct, frozen=True, tag=23, array_like=True):
    """The session of a site as it is now; jobs that wait for it continue."""

    session: Session


class SessionTurn(msgspec.Struct, frozen=True, tag=24, array_like=True):
    """The job that waits for a session logs in."""

    job: str


class FileSettled(msgspec.Struct, frozen=True, tag=26, array_like=True):
    """Another job's request for the file that this job waits for has ended."""

    job: str


ToWorker = Setup | Give | Granted | Denied | Drain | Recall | Stop | SessionNews | SessionTurn | FileSettled
ToParent = (
    Ready
    | StartFault
    | Sent
    | Answered
    | Asking
    | FileOver
    | RobotsRead
    | JobsHandedBack
    | Results
    | SessionAsked
    | SessionChanged
)
