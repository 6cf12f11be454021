"""SessionLoader: loads the pages of sites with a login, and logs in if the parent has chosen their job."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.fetch.address import host_of
from scoopi.model.handover import Handover, Payload, ToGrant, ToSession, ToTask
from scoopi.model.site_session import Session, SessionChange
from scoopi.model.sites import Site, Sites
from scoopi.model.text.shown import shown
from scoopi.parse.tree.page import Page
from scoopi.steps.loading.load_state import FORM, SUBMIT, LoadState, LoginStage
from scoopi.steps.loading.loader import Loader, OnHandover
from scoopi.steps.loading.login_run import UNAUTHORIZED, LoginRun
from scoopi.steps.loading.worker_sessions import WorkerSessions

MOST_LOGINS = 2
"""How many logins a page may ask for, so that a page that always asks for one fails."""
ACCEPTED = frozenset({201, 202, 204})
"""Statuses of a successful login without a page."""


class SessionLoader(Loader):
    """Loads the pages of sites with a login, and logs in if the parent has chosen their job for it.

    Passes a page to the loader of pages once its session is logged in; pages of other sites at once.

    Args:
        inner: the loader of pages.
    """

    def __init__(self, inner: Loader, sites: Sites, sessions: WorkerSessions) -> None:
        self._inner = inner
        self._sites = sites
        self._sessions = sessions
        self._login = LoginRun(lambda url: sites.for_host(host_of(url)).session)

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        """See `Loader`; a page that needs a (further) login is handed over as a ToSession."""
        load = payload.expect(LoadState)
        site = self._sites.for_host(host_of(payload.locator.url))
        if site.login is None or load.archived or load.is_robots:
            self._inner.begin(payload, on_handover)
            return
        session = self._sessions.get(site.session)
        if session.failed:
            on_handover(
                FetchError(session.failed, at=shown(site.login.url), hint="check `login` of the site")
            )
        elif load.login is not None:
            self._continue(payload, load.login, site, on_handover)
        elif load.logs_in:
            stage, locator = self._login.first(site.login)
            self._continue(payload, LoginStage(stage, locator, LoadState()), site, on_handover)
        elif session.version <= load.outdated:
            on_handover(ToSession(site.session, load.outdated, payload.advance(load.without_grant())))
        else:
            self._inner.begin(payload, partial(self._on_page, payload, session, site, on_handover))

    def under_way(self) -> int:
        """See `Loader`."""
        return self._inner.under_way()

    def turn(self, wait_s: float) -> None:
        """See `Loader`."""
        self._inner.turn(wait_s)

    def wake(self) -> None:
        """See `Loader`."""
        self._inner.wake()

    def size_of(self, page: object) -> int:
        """See `Loader`."""
        return self._inner.size_of(page)

    def fault_of(self, page: object) -> str | None:
        """See `Loader`."""
        return self._inner.fault_of(page)

    def abandon(self, payload: Payload) -> None:
        """See `Loader`."""
        self._inner.abandon(payload)

    def close(self) -> None:
        """See `Loader`."""
        self._inner.close()

    def learn(self, session: Session) -> None:
        """See `Loader`."""
        self._sessions.learn(session)

    def take_changes(self) -> list[SessionChange]:
        """See `Loader`."""
        return self._sessions.take()

    def _on_page(
        self,
        payload: Payload,
        session: Session,
        site: Site,
        on_handover: OnHandover,
        outcome: Handover | Exception,
    ) -> None:
        assert site.login is not None
        load = payload.expect(LoadState)
        if isinstance(outcome, ToGrant):
            further = outcome.payload.expect(LoadState)
            kept = replace(further, outdated=load.outdated, logins=load.logins)
            on_handover(replace(outcome, payload=outcome.payload.advance(kept)))
            return
        try:
            is_expired = self._is_expired(outcome, site)
        except Exception as error:  # the page cannot be parsed, which its tasks report
            is_expired = False
            outcome = outcome if isinstance(outcome, ToTask) else error
        if not is_expired:
            on_handover(outcome)
        elif load.logins >= MOST_LOGINS:
            what = "the page keeps asking for a login"
            on_handover(FetchError(what, at=payload.locator.url, hint="check `expired` of its site's login"))
        else:
            again = LoadState(
                public_only=load.public_only,
                outdated=session.version,
                logins=load.logins + 1,
                file=load.file,
            )
            on_handover(ToSession(site.session, session.version, payload.advance(again)))

    def _is_expired(self, outcome: Handover | Exception, site: Site) -> bool:
        assert site.login is not None
        if isinstance(outcome, FetchError):
            return outcome.fault.status == UNAUTHORIZED
        page = outcome.payload.input if isinstance(outcome, ToTask) else None
        return isinstance(page, Page) and self._login.is_expired(site.login, page)

    # The login

    def _continue(self, payload: Payload, stage: LoginStage, site: Site, on_handover: OnHandover) -> None:
        inner = Payload(payload.job, stage.locator, 1, "", stage.granted(payload.expect(LoadState).grant))
        self._inner.begin(inner, partial(self._on_login_page, payload, stage, site, on_handover))

    def _on_login_page(
        self,
        payload: Payload,
        stage: LoginStage,
        site: Site,
        on_handover: OnHandover,
        outcome: Handover | Exception,
    ) -> None:
        try:
            handover = self._next(payload, stage, site, outcome)
        except FetchError as error:
            can_pass = error.fault.is_transient
            change = SessionChange(site.session, payload.job, login="again" if can_pass else "failed")
            self._sessions.report(replace(change, message=error.what))
            on_handover(error)
        except Exception as error:
            self._sessions.report(SessionChange(site.session, payload.job, login="again"))
            on_handover(error)
        else:
            on_handover(handover)

    def _next(
        self, payload: Payload, stage: LoginStage, site: Site, outcome: Handover | Exception
    ) -> Handover:
        """The handover after a stage: for a grant, for the next stage, or to continue after the login.

        Raises:
            FetchError: the login has failed.
            Exception: the error of the stage's page.
        """
        assert site.login is not None
        load = payload.expect(LoadState)
        if isinstance(outcome, ToGrant):
            further = LoginStage(stage.name, stage.locator, outcome.payload.expect(LoadState))
            return ToGrant(outcome.host, payload.advance(replace(load.without_grant(), login=further)))
        if isinstance(outcome, ToTask):
            page = outcome.payload.input
            assert isinstance(page, Page)
            if stage.name == FORM:
                locator = self._login.submit(site.login, page)
                submit = LoginStage(SUBMIT, locator, LoadState())
                waits = replace(load.without_grant(), login=submit)
                return ToGrant(host_of(locator.url), payload.advance(waits))
            self._login.ensure_success(site.login, page)
        elif not _is_accepted(stage, site, outcome):
            assert isinstance(outcome, Exception)
            raise outcome
        self._sessions.report(SessionChange(site.session, payload.job, login="done"))
        version = self._sessions.get(site.session).version
        back = LoadState(public_only=load.public_only, outdated=version, logins=load.logins, file=load.file)
        return ToSession(site.session, version, payload.advance(back))


def _is_accepted(stage: LoginStage, site: Site, outcome: Handover | Exception) -> bool:
    """Whether the site has accepted a login without a page, and the success needs no element of one."""
    assert site.login is not None
    is_empty = isinstance(outcome, FetchError) and outcome.fault.status in ACCEPTED
    return stage.name == SUBMIT and is_empty and not site.login.success.selector
