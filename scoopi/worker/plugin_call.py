"""PluginCall: a loader plugin loads one page, in a thread of its own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPException, IncompleteRead

import msgspec

from scoopi.errors import FetchError, LoadFault, SilentHostError, StepError
from scoopi.fetch.address import AddressKind, parse_address
from scoopi.model.handover import Grant
from scoopi.model.text.shown import shown, without_logins
from scoopi.plugins.loader_port import Answer, HeldGrant, LoaderPlugin, Terms

GRACE_S = 1.0
"""How many seconds a request of a plugin may take beyond its timeout before its page fails."""

LONGEST_WAIT_S = 1.0


class CallNeedsGrant(msgspec.Struct, frozen=True):
    """The call waits for a grant for the host; `url` is empty for a subresource of a page."""

    host: str
    url: str


class RequestSent(msgspec.Struct, frozen=True):
    """The call has sent, or is sending, its request to the host."""

    host: str
    url: str


class CallAnswered(msgspec.Struct, frozen=True):
    """The call has ended with an answer.

    Attributes:
        is_public: whether it came from a public host.
    """

    answer: Answer
    is_public: bool


Event = CallNeedsGrant | RequestSent | CallAnswered | Exception
"""What a call reports; CallAnswered or an Exception ends it."""


class AbandonedError(BaseException):
    """Raised in the plugin's thread when its page is no longer wanted."""


class CallRules(msgspec.Struct, frozen=True):
    """The rules for the requests of a call.

    Attributes:
        terms: returns the Terms of a request, given URL and host.
        is_public: whether the host of a URL is public; returns its second argument if the host's name cannot
            be resolved.
        public_only: whether requests to private hosts are denied, because a public page led here.
    """

    terms: Callable[[str, str], Terms]
    is_public: Callable[[str, bool], bool]
    public_only: bool


class _HeldGrant:
    """See `HeldGrant`.

    Args:
        not_after: when it expires, as `time.monotonic()`.
        report: reports the request as sent.
    """

    def __init__(self, terms: Terms, not_after: float, report: Callable[[], None]) -> None:
        self.terms = terms
        self.report = report
        self._not_after = not_after
        self._is_used = False

    def use(self) -> bool:
        """See `HeldGrant`."""
        if self._is_used or time.monotonic() > self._not_after:
            return False
        self._is_used = True
        self.report()
        return True


class PluginCall:
    """Has a loader plugin load one page, in a thread of its own; the methods are called by other threads.

    Args:
        plugin: the user's loader.
        name: name of the plugin, for errors.
        url: URL of the page.
        rules: the rules for its requests.
        report: called with each event, in the plugin's thread.
    """

    def __init__(
        self,
        plugin: LoaderPlugin,
        name: str,
        url: str,
        rules: CallRules,
        report: Callable[[Event], None],
    ) -> None:
        self._plugin = plugin
        self._name = name
        self._url = url
        self._rules = rules
        self._report = report
        self._grant: Grant | None = None
        self._granted = threading.Condition()
        self._is_abandoned = False
        self._due = float("inf")
        self.thread = threading.Thread(target=self._run, name="loader", daemon=True)

    def give(self, grant: Grant) -> None:
        """Let the call send its next request."""
        with self._granted:
            self._grant = grant
            self._granted.notify()

    def abandon(self) -> None:
        """Give up the call: it reports nothing from now on, and its next request raises AbandonedError."""
        with self._granted:
            self._is_abandoned = True
            self._granted.notify()

    def overdue(self) -> FetchError | None:
        """The error of a call whose request has exceeded its timeout; None if it has not."""
        if time.monotonic() < self._due:
            return None
        what = f"the loader {self._name} did not end a request within its timeout"
        hint = "pass `timeout_s` of the grant to the request"
        return FetchError(what, at=shown(self._url), hint=hint, fault=LoadFault("timeout", is_transient=True))

    def grant(self, url: str) -> AbstractContextManager[Terms]:
        """See `Web`; called by the plugin."""
        return self._granted_for(url, False)

    def grant_part(self, url: str) -> AbstractContextManager[Terms]:
        """See `Web`; called by the plugin."""
        return self._granted_for(url, True)

    @contextmanager
    def hold(self, url: str) -> Iterator[HeldGrant]:
        """See `Web`; called by the plugin."""
        yield self._held(url, False)

    @contextmanager
    def _granted_for(self, url: str, is_subresource: bool) -> Iterator[Terms]:
        held = self._held(url, is_subresource)
        held.report()
        yield held.terms

    def _held(self, url: str, is_subresource: bool) -> _HeldGrant:
        address = parse_address(url)
        if address.kind is not AddressKind.HTTP:
            raise FetchError("a loader can only request web pages", at=shown(url), hint="use http or https")
        if self._rules.public_only and not self._rules.is_public(address.url, False):
            what = "a public page leads to a private address"
            raise FetchError(what, at=shown(url), hint="see scoopi.loader.privateHosts")
        not_after = self._wait_for_grant(address.host, "" if is_subresource else address.url)
        terms = self._rules.terms(address.url, address.host)
        self._due = time.monotonic() + terms.timeout_s + GRACE_S
        return _HeldGrant(terms, not_after, lambda: self._notify(RequestSent(address.host, address.url)))

    def _wait_for_grant(self, host: str, url: str) -> float:
        """When the grant that was waited for expires, as `time.monotonic()`."""
        while (not_after := self._take_grant(host)) is None:
            self._due = float("inf")
            self._report(CallNeedsGrant(host, url))
            with self._granted:
                while self._grant is None and not self._is_abandoned:
                    self._granted.wait(LONGEST_WAIT_S)
        return not_after

    def _take_grant(self, host: str) -> float | None:
        """Use up the grant; return when it expires if there was a valid one for that host."""
        with self._granted:
            if self._is_abandoned:
                raise AbandonedError
            grant, self._grant = self._grant, None
        is_valid = grant is not None and grant.host == host and time.monotonic() <= grant.not_after
        return grant.not_after if grant is not None and is_valid else None

    def _notify(self, event: Event) -> None:
        with self._granted:
            if self._is_abandoned:
                raise AbandonedError
        self._report(event)

    def _run(self) -> None:
        try:
            answer: object = self._plugin.load(self._url, self)
            if not isinstance(answer, Answer):
                what = f"the loader {self._name} returned {type(answer).__name__} instead of an Answer"
                raise FetchError(what, at=shown(self._url))
            if wrong := _wrong_field(answer):
                what = f"the loader {self._name} returned an Answer whose {wrong}"
                raise FetchError(what, at=shown(self._url))
            self._notify(CallAnswered(answer, self._rules.is_public(answer.url, True)))
        except AbandonedError:
            pass
        except BaseException as error:  # a plugin may call sys.exit
            with self._granted:
                is_wanted = not self._is_abandoned
            if is_wanted:
                self._report(self._fault_of(error))

    def _fault_of(self, error: BaseException) -> Exception:
        if isinstance(error, StepError | MemoryError):
            return error
        found = _fault_of(error)
        words = without_logins(str(error)) or type(error).__name__
        if found is None:
            what = f"the loader {self._name} raised {type(error).__name__}: {words}"
            return FetchError(what, at=shown(self._url))
        kind = SilentHostError if found.reason in ("connect", "dns", "timeout") else FetchError
        return kind(f"{words} ({self._name})", at=shown(self._url), hint="try again later", fault=found)


def _wrong_field(answer: Answer) -> str:
    """The first field of an answer that is not of its type, in words; empty if all are."""
    headers, cookies = answer.headers, answer.cookies
    fields = (
        ("url", answer.url, isinstance(answer.url, str), "a str"),
        ("body", answer.body, isinstance(answer.body, bytes | bytearray | memoryview), "bytes"),
        ("status", answer.status, isinstance(answer.status, int), "an int"),
        ("headers", headers, _is_text_mapping(headers), "a mapping of str to str"),
        ("cookies", cookies, cookies is None or _are_texts(cookies), "a tuple of str"),
    )
    words = (f"{name} is {_kind_of(value)}, not {wanted}" for name, value, fits, wanted in fields if not fits)
    return next(words, "")


def _is_text_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and _are_texts((*value, *value.values()))


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(each, str) for each in value)


def _kind_of(value: object) -> str:
    """The type of a value; of a collection that has wrong elements, that of the first one, too."""
    kind = type(value).__name__
    parts = (*value, *value.values()) if isinstance(value, Mapping) else value
    if not isinstance(parts, tuple | list):
        return f"a {kind}"
    inner = (type(each).__name__ for each in parts if not isinstance(each, str))
    return f"a {kind} with a {next(inner, 'str')}"


def _fault_of(error: BaseException) -> LoadFault | None:
    """The fault that an error of a network library stands for; None for an error of the plugin's code."""
    if isinstance(error, TimeoutError):
        return LoadFault("timeout", is_transient=True)
    if isinstance(error, socket.gaierror):
        return LoadFault("dns", is_transient=True)
    if isinstance(error, ConnectionRefusedError):
        return LoadFault("connect", is_transient=True)
    if isinstance(error, ConnectionError):
        return LoadFault("reset", is_transient=True)
    if isinstance(error, IncompleteRead):
        return LoadFault("truncated", is_transient=True)
    reason = getattr(error, "reason", None)  # urllib wraps the socket's error
    if isinstance(error, OSError) and isinstance(reason, OSError):
        return _fault_of(reason)
    if isinstance(error, OSError | HTTPException):
        return LoadFault("connect", is_transient=True)
    return None
