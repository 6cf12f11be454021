"""Every error of Scoopi, in one tree; the branch decides what it stops: the run, one task, or nothing yet."""

from __future__ import annotations

from typing import NamedTuple


class ScoopiError(Exception):
    """An error with what is wrong, where, and a hint.

    Args:
        what: the fault in one clause, with the offending value where that helps.
        at: where: `file:line:column`, a URL, a path or a setting's key; empty when nowhere.
        hint: what the reader can do about it; may be empty.
        cause: the fault without the particulars of this page, by which errors are grouped; `what` if
            it has none.
    """

    def __init__(self, what: str, *, at: str = "", hint: str = "", cause: str = "") -> None:
        super().__init__(what, at, hint)
        self.what = what
        self.at = at
        self.hint = hint
        self.cause = cause or what

    def __str__(self) -> str:
        text = f"{self.at}: {self.what}" if self.at else self.what
        return f"{text}; {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.at, self.hint, self.cause), self.__dict__


def _rebuild(kind: type[ScoopiError], what: str, at: str, hint: str, cause: str) -> ScoopiError:
    return kind(what, at=at, hint=hint, cause=cause)


class UsageError(ScoopiError):
    """The command line asks for something that does not exist or does not fit together (exit 2)."""


class StateRefusedError(UsageError):
    """A change is not allowed in the current state of a job, attempt, process or worker (exit 4)."""


class FencedError(StateRefusedError):
    """An attempt has ended or was claimed again, or another process has a worker's name (exit 4)."""


class UnstorableError(UsageError):
    """A record would hold a value that the store cannot keep, such as half of a surrogate pair (exit 2)."""


class PeriodError(ScoopiError):
    """A period, a slot, a duration or a cron expression is not valid."""


class BootError(ScoopiError):
    """Ends the run before it starts (exit 3 unless a subclass differs)."""


class ConfigError(BootError):
    """A setting is unknown, malformed or contradicts another."""


class DefsError(BootError):
    """The definitions are missing, unreadable or wrong."""


class PluginError(BootError):
    """A plugin cannot be found, loaded or constructed."""


class ClusterError(BootError):
    """The cluster cannot be reached or joined (exit 5)."""


class RunError(BootError):
    """A run, its folder or its store cannot be used, or one of its parts has failed (exit 5)."""


class StepError(ScoopiError):
    """Fails one task; other tasks and the run continue."""


NO_BROWSER = "browser"
"""The reason of a fault of this node's own browsers, which does not count against the host of the page."""


class LoadFault(NamedTuple):
    """What is known of a failed load; a worker sends it to the parent.

    Attributes:
        reason: `connect`, `dns`, `reset`, `timeout`, `truncated`, `status 503` or `browser` (see
            `NO_BROWSER`); empty for any other.
        is_transient: whether another attempt may load the page.
        status: of the answer; 0 without one.
        retry_after_s: the Retry-After of the response, in seconds; None without one.
        was_sent: whether the request may have reached the server.
    """

    reason: str = ""
    is_transient: bool = False
    status: int = 0
    retry_after_s: float | None = None
    was_sent: bool = True


class FetchError(StepError):
    """A page could not be loaded.

    Args:
        fault: what is known of the failure; by default it is permanent.
    Attributes:
        cookies: the cookies after the answer, as in `Request.cookies`; None without an answer or a session.
    """

    def __init__(
        self, what: str, *, at: str = "", hint: str = "", cause: str = "", fault: LoadFault | None = None
    ) -> None:
        super().__init__(what, at=at, hint=hint, cause=cause)
        self.fault = fault or LoadFault()
        self.cookies: tuple[str, ...] | None = None


class DisallowedError(FetchError):
    """The site's robots.txt disallows the page: its job is skipped, which is not a failure."""


class SilentHostError(FetchError):
    """A host gave no answer at all: no connection, or nothing over it."""


class ParseError(StepError):
    """A page could not be parsed, or its definition does not fit it."""


class ScriptError(StepError):
    """A script failed, returned nothing usable, or met its time or memory limit."""


class ConvertError(StepError):
    """A value could not be converted, and its definition makes that fail the task."""


class EncodeError(StepError):
    """Rows could not be encoded."""


class StoreError(ScoopiError):
    """The store could not be read or written, so the outcome is unknown; the caller retries."""


class BusyRecordError(StoreError):
    """The store answers, but one record could not be written, as others keep changing it."""


class RecordError(StoreError):
    """The store holds a record that Scoopi did not write; a retry does not help (exit 5)."""


class DamagedBundleError(RecordError):
    """The bundle of a project is damaged in the store; only what was started with it fails (exit 5)."""


class AppenderError(ScoopiError):
    """Rows cannot be made durable or published; ends the run (exit 5)."""


class StoppedError(Exception):
    """A wait for other nodes ended because this node is shutting down; nothing has failed."""
