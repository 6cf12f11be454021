"""Loaded: what was fetched or read becomes a Document."""

from __future__ import annotations

from datetime import datetime

from scoopi.fetch.request import Response
from scoopi.model.document import Document
from scoopi.model.locator import Locator


def from_response(locator: Locator, run_date: datetime, response: Response) -> Document:
    """The document of a page; `run_date` is the run's, in whole seconds and zone-aware."""
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Document(
        locator, response.url, run_date, response.charset, response.body, response.is_public, content_type
    )


def from_file(locator: Locator, run_date: datetime, body: bytes) -> Document:
    """The document of a file: its url is the address as written, its charset is not known from outside."""
    return Document(locator, locator.url, run_date, None, body)
