"""Step and Loader: the interfaces of the steps of a task, and of the loader of its pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from scoopi.fetch.hop_results import PluginResult
from scoopi.fetch.request import Request
from scoopi.model.downloads import FileRequest
from scoopi.model.handover import Grant, Handover, Payload
from scoopi.model.locator import PageRequest
from scoopi.model.site_session import Session, SessionChange

OnPluginResult = Callable[[PluginResult], None]
OnSent = Callable[[str], None]
"""Receives the host of a request that was sent."""

OnHandover = Callable[[Handover | Exception], None]
"""Receives the handover of a payload, or the error of its page: any that `Step.run` may raise."""


class Step(ABC):
    """Takes a payload and returns a handover; knows no other step.

    To write a step, derive a class from this one and name it as the `class:` of a step in the definitions;
    it is found as an entry point of `scoopi.steps` or in a file in `plugins/`. It is constructed without
    arguments, once per task and worker, and runs in one thread at a time, once per page.

    - Get the input with `payload.expect(Data)`: Data after a parser, a Page after a loader.
    - Values are frozen: return a changed copy, `ToTask(payload.advance(changed))`.
    - Keep no state between payloads: which pages run in the same worker is undefined, and a page may run
      twice, though only one result counts.
    - Start no threads and write no files: results go into the handover, encoded rows in ToAppender and links
      in ToJobs; both end the task.
    - To warn the user while the task continues, add a Failure to the handover's `warnings`. Only its cause
      and message are needed; Scoopi fills in the rest.
    """

    @abstractmethod
    def run(self, payload: Payload) -> Handover:
        """Do the step's work on one page of one task.

        Raises:
            StepError: the task fails, and its rows and links are lost; the page's other tasks and the run
                continue. Any other exception has the same effect and is reported as an error in the step.
        """


class LoadState(msgspec.Struct, frozen=True):
    """The input of a loader: how it may load the page of a payload.

    Attributes:
        grant: permits the next request; None if no request is needed (file, archive).
        archived: whether the archive had a fresh copy of the page when the parent checked.
        url: the target of the last redirect; empty for the locator's own address.
        hops: redirects followed so far.
        cookies: cookies set by earlier hops of the chain, as `HttpClient` encodes them.
        lost, public_only: see `Request`.
        whole: whether to request the page without conditions, because its archived version cannot be read.
        content: the content of the request after a redirect, see `Request`; before, that of the locator is
            used.
        is_downgraded: whether a redirect led from https to http.
        call: number of the loader plugin's call that continues with the grant; 0 if none does.
        is_robots: whether a robots.txt is loaded, not a page.
        outdated: the page needs a session with a higher version, which is the number of its logins.
        logins: how many logins the page has asked for.
        logs_in: whether this job logs in to the site.
        login: the stage of the login, see `SessionLoader`; None before it begins.
        in_browser: in a group with `loader: auto`, whether a browser makes the request.
        file: the file that a row names, if one is loaded instead of a page.
    """

    grant: Grant | None = None
    archived: bool = False
    url: str = ""
    hops: int = 0
    cookies: tuple[str, ...] = ()
    lost: int = 0
    public_only: bool = False
    whole: bool = False
    content: PageRequest | None = None
    is_downgraded: bool = False
    call: int = 0
    is_robots: bool = False
    outdated: int = 0
    logins: int = 0
    logs_in: bool = False
    login: Any = None
    in_browser: bool = False
    file: FileRequest | None = None

    def with_grant(self, grant: Grant) -> LoadState:
        """The same state, with a grant for its next request."""
        return msgspec.structs.replace(self, grant=grant, archived=False)

    def without_grant(self, was_lost: bool = False) -> LoadState:
        """The same state, waiting for a grant.

        Args:
            was_lost: see `GrantNeeded`.
        """
        return msgspec.structs.replace(self, grant=None, archived=False, lost=self.lost + was_lost)


class PluginClient(Protocol):
    """Makes the requests for the pages of some task groups, by a loader plugin."""

    def begin(
        self, request: Request, grant: Grant, on_result: OnPluginResult, on_sent: OnSent | None
    ) -> None:
        """Start a call of the plugin; the grant is for the host of the request."""

    def resume(
        self, call: int, request: Request, grant: Grant, on_result: OnPluginResult, on_sent: OnSent | None
    ) -> bool:
        """Let a call that waits for another grant continue; False if the call no longer exists.

        Args:
            request: the request for its page, with the current cookies of the site's session.
        """

    def abandon(self, call: int) -> None:
        """Abandon a call; callable from any thread."""

    def under_way(self) -> int:
        """The number of calls that do not wait for a grant."""

    def turn(self) -> None:
        """Report the events since the last turn."""

    def close(self) -> None:
        """Abandon all calls."""


class Loader(ABC):
    """Starts loads on request and advances them in turns; used by one thread at a time."""

    @abstractmethod
    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        """Start loading a page.

        Args:
            payload: its input is a LoadState.
            on_handover: called once, here or in a later `turn`: with a ToTask whose payload has the Page,
                with a ToGrant if the page needs (another) grant, or with the page's error.
        """

    @abstractmethod
    def under_way(self) -> int:
        """The number of pages being loaded."""

    @abstractmethod
    def turn(self, wait_s: float) -> None:
        """Advance all loads; when none can advance, wait for at most `wait_s` seconds."""

    @abstractmethod
    def wake(self) -> None:
        """End the wait of the current or the next turn; callable from any thread."""

    def learn(self, session: Session) -> None:
        """Take the current session of a site from the parent; callable from any thread."""
        return

    def take_changes(self) -> list[SessionChange]:
        """Return the changes that loads have made to sessions, each once."""
        return []

    def size_of(self, page: object) -> int:
        """The size of a loaded page in bytes; 0 if it does not count."""
        return 0

    def fault_of(self, page: object) -> str | None:
        """Why a page whose tasks have run gave no values; None if it gave some, or looks usable."""
        return None

    def abandon(self, payload: Payload) -> None:
        """Drop a payload that waits for a grant and will not get one here; callable from any thread."""
        return

    @abstractmethod
    def close(self) -> None:
        """Abandon all loads; no other method is called afterwards."""
