"""LoginRun: decides the stages of a login: get the form, submit it, check the resulting page."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from scoopi.errors import FetchError, ParseError
from scoopi.fetch.address import host_of
from scoopi.fetch.hop_results import ReceivedFile
from scoopi.model.locator import Document, Locator, PageRequest
from scoopi.model.sites import Login, PageSign, Sites
from scoopi.model.text.secrets import variable_of
from scoopi.model.text.shown import shown
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.tree.login_form import LoginForm, find_form, has_element
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.loading.load_state import FORM, SUBMIT

UNAUTHORIZED = 401
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
MOST_FORM_BYTES = 1_000_000
"""A larger file is not checked for a login form."""


class LoginRun:
    """Decides each stage of a login from the page that the last stage loaded; makes no requests itself.

    The stages: get the form, submit it, check the resulting page.

    Args:
        session_of: returns the name of a URL's session; a form is only submitted within its session.
    """

    def __init__(self, session_of: Callable[[str], str]) -> None:
        self._session_of = session_of
        self._css = CssEngine()

    def first(self, login: Login) -> tuple[str, Locator]:
        """Return the name of the first stage, and the locator of its page."""
        if login.form:
            return FORM, Locator("login", "", login.url)
        form = tuple(login.fields.items())
        return SUBMIT, Locator("login", "", login.url, PageRequest("POST", form=form))

    def submit(self, login: Login, page: Page) -> Locator:
        """Return the locator that submits the login form of a page.

        Raises:
            FetchError: the page has no such form, its password is not filled in, or it would send credentials
                unencrypted, with GET or to another site.
        """
        address = page.document.url
        form = find_form(page, login.form, self._css)
        if form is None:
            raise _failed(f"its page has no form {login.form}", address)
        self._ensure_filled(form, login, address)
        self._ensure_safe(form, login, address)
        fields = tuple({**form.fields, **login.fields}.items())
        if form.method == "POST":
            return Locator("login", "", form.url, PageRequest("POST", form=fields))
        raise _failed("its form uses GET, which puts the password into the URL", address)

    def ensure_success(self, login: Login, page: Page) -> None:
        """Check that the page after the login matches the login's `success`.

        Raises:
            FetchError: it does not.
        """
        if self.has(login.success, page):
            return
        sign = login.success
        what = f"no element {sign.selector}" if sign.selector else f"not the address {sign.url}"
        if login.form and find_form(page, login.form, self._css) is not None:
            what += ", but the form again"
        raise _failed(f"the page that came after it has {what}", page.document.url)

    def is_expired(self, login: Login, page: Page) -> bool:
        """Whether the page asks for another login."""
        if login.expired != PageSign():
            return self.has(login.expired, page)
        if login.form:
            return find_form(page, login.form, self._css) is not None
        return urlsplit(page.document.url).path == urlsplit(login.url).path

    def has(self, sign: PageSign, page: Page) -> bool:
        """Whether the page matches a sign: its URL, and an element on it."""
        if sign.url and not _in_address(sign.url, page.document.url):
            return False
        return not sign.selector or has_element(page, sign.selector, self._css)

    def _ensure_filled(self, form: LoginForm, login: Login, address: str) -> None:
        """Check that the login fills in the form's password, if some of its fields are not in the form.

        Such fields alone are not an error, since scripts of the page may add them to the form.

        Raises:
            FetchError: the password is not filled in.
        """
        unknown = sorted(login.fields.keys() - form.fields.keys())
        if unknown and form.passwords and not form.passwords & login.fields.keys():
            known = ", ".join(sorted(form.fields))
            raise _failed(f"its form has no field {unknown[0]}; it has {known}", address)

    def _ensure_safe(self, form: LoginForm, login: Login, address: str) -> None:
        open_names = {
            name for name in form.passwords if variable_of(login.fields.get(name, "${env:X}")) is None
        }
        if open_names:
            raise _failed(
                f"the password field {min(open_names)} has a value that is not ${{env:NAME}}", address
            )
        if address.startswith("https:") and not form.url.startswith("https:"):
            raise _failed("its form is sent without encryption", address)
        if self._session_of(form.url) != self._session_of(login.url):
            raise _failed(f"its form is sent to another site, {shown(form.url)}", address)


class LoginDetector:
    """Decides whether what was received in place of a file is a page that asks for a login."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._login = LoginRun(lambda url: sites.for_host(host_of(url)).session)

    def __call__(self, received: ReceivedFile) -> bool:
        """Whether what was received is such a page; one that cannot be parsed counts as a file."""
        partial = received.partial
        login = self._sites.for_host(host_of(partial.request.url)).login
        if login is None or received.media_type not in _PAGES or partial.size > MOST_FORM_BYTES:
            return False
        locator = Locator("", "", partial.request.url)
        document = Document(locator, received.url, datetime.now(UTC), None, partial.path.read_bytes())
        try:
            return self._login.is_expired(login, Page(document, TreeLimits()))
        except ParseError:
            return False


def _in_address(pattern: str, url: str) -> bool:
    return re.search(".*".join(map(re.escape, pattern.split("*"))), url) is not None


def _failed(why: str, url: str) -> FetchError:
    hint = "check `login` of the site"
    return FetchError(f"the login failed: {why}", at=shown(url), hint=hint, cause=f"the login failed: {why}")
