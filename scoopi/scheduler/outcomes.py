"""Outcomes: what a function of a project raises to end its attempt otherwise than as succeeded or error."""

from __future__ import annotations


class Outcome(Exception):  # noqa: N818  an outcome is not an error
    """Ends an attempt with a status; the text explains it."""

    status = "error"


class NotReady(Outcome):
    """What the attempt needs is not there yet; it is offered again, and that is not a failure."""

    status = "not_ready"


class Noop(Outcome):
    """There was nothing to do."""

    status = "noop"


class Failed(Outcome):
    """The work said no; the policy of retries applies."""

    status = "failed"
