"""Decides what runs when, from a snapshot of the records; pure, without store, clock or threads."""

from scoopi.scheduler.outcomes import Failed, Noop, NotReady

__all__ = ["Failed", "Noop", "NotReady"]
