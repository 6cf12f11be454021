"""LoadState: how a loader may load the page of a payload, and how far it is."""

from __future__ import annotations

import msgspec

from scoopi.model.downloads import FileRequest
from scoopi.model.handover import Grant
from scoopi.model.locator import Locator, PageRequest

FORM, SUBMIT = "form", "submit"


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
        outdated: version of the session that has expired, so that the page needs a higher one; the version is
            the number of logins.
        logins: number of logins that were made because this page asked for one.
        logs_in: whether this job logs in to the site.
        login: the stage of the login; None before it begins.
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
    login: LoginStage | None = None
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


class LoginStage(msgspec.Struct, frozen=True):
    """A stage of a login.

    Attributes:
        name: FORM or SUBMIT.
        locator: the locator of the page to request.
        load: the loader's input for that page.
    """

    name: str
    locator: Locator
    load: LoadState

    def granted(self, grant: Grant | None) -> LoadState:
        """The loader's input for its page, with the grant if there is one."""
        return self.load if grant is None else self.load.with_grant(grant)
