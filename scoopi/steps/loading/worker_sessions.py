"""WorkerSessions: a worker's copies of the sessions of sites, and the changes that its pages make."""

from __future__ import annotations

from collections.abc import Iterable

from scoopi.errors import FetchError
from scoopi.fetch.hop_results import NotModified, PluginResult, ReceivedFile, Redirect, Response
from scoopi.fetch.request import Request
from scoopi.model.site_session import Session, SessionChange, changed, cookies_of
from scoopi.model.sites import Site


class WorkerSessions:
    """A worker's copies of the sessions of sites, and the changes that its pages make.

    Used by the thread that loads pages; only `learn` may be called by any thread.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._changes: list[SessionChange] = []

    def get(self, name: str) -> Session:
        """The session as last learned, plus the changes of this worker's own pages."""
        return self._sessions.get(name) or Session(name)

    def learn(self, session: Session) -> None:
        """Replace the copy of a session by the parent's."""
        self._sessions[session.name] = session

    def note(self, name: str, job: str, sent: Iterable[str], received: Iterable[str]) -> None:
        """Record how a page has changed the cookies of its request.

        Args:
            name: name of the session.
            sent: cookie lines of the request.
            received: cookie lines after its response.
        """
        change = changed(name, job, cookies_of(sent), cookies_of(received))
        if change is not None:
            self._changes.append(change)
            self._sessions[name] = self.get(name).with_changes(change)

    def cookies_for(self, site: Site | None, of_chain: tuple[str, ...]) -> tuple[str, ...]:
        """The cookie lines of the site's session, and those that earlier hops have set."""
        if site is None or not site.session:
            return of_chain
        return (*self.get(site.session).cookies.values(), *of_chain)

    def note_result(self, job: str, request: Request, result: PluginResult) -> None:
        """Record how the result of a request has changed the cookies of its site's session."""
        if request.site is None or not request.site.session:
            return
        received = result.request.cookies if isinstance(result, Redirect) else None
        if isinstance(result, Response | NotModified | ReceivedFile | FetchError):
            received = result.cookies
        if received is not None:
            self.note(request.site.session, job, request.cookies, received)

    def report(self, change: SessionChange) -> None:
        """Record how a login has ended."""
        self._changes.append(change)

    def take(self) -> list[SessionChange]:
        """Return the recorded changes, each once."""
        changes, self._changes = self._changes, []
        return changes
