"""Writes log lines about single pages; their fields are the keys of `--log-format json`."""

from __future__ import annotations

import logging
from typing import Any

from scoopi.mediator.held_jobs import Pending
from scoopi.model.text.shown import shown
from scoopi.worker.messages import Result

log = logging.getLogger(__name__)


def log_page(pending: Pending, result: Result) -> None:
    """Log a line for a page, loaded or failed: `status 200, 5,120 bytes in 87 ms, 14 rows, network`."""
    seen = result.seen
    if seen is None:
        return
    attempts = len(pending.taken.tried) + 1
    fields: dict[str, Any] = {
        "event": "page",
        "job": result.job,
        "url": shown(pending.taken.payload.locator.url),
        "status": seen.status,
        "bytes": seen.size_bytes,
        "ms": seen.ms,
        "rows": result.rows,
        "source": seen.source,
        "attempts": attempts,
        "failed": bool(result.failures),
    }
    words = [f"status {seen.status}"] if seen.status else []
    words += [
        f"{seen.size_bytes:,} bytes in {seen.ms:.0f} ms",
        f"{result.rows:,} row{'s' * (result.rows != 1)}",
        seen.source,
    ]
    if attempts > 1:
        words.append(f"attempt {attempts}")
    log.info("page %s: %s", fields["url"], ", ".join(words), extra={"fields": fields})


def log_failures(result: Result) -> None:
    """Log a line for each failed task."""
    for failure in result.failures:
        fields = {
            "event": "failure",
            "job": result.job,
            "url": failure.url,
            "task": failure.task,
            "cause": failure.cause,
            "attempts": failure.attempts,
        }
        log.info(
            "job %s: %s failed: %s", failure.job, failure.task, failure.message, extra={"fields": fields}
        )
