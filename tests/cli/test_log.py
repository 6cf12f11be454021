"""What the rooms log reaches the terminal while a verb runs, and only then."""

from __future__ import annotations

import logging
import re
from typing import Any

from scoopi.cli.log import log_to

LOG = logging.getLogger("scoopi.some.room")


def broken() -> None:
    try:
        raise ValueError("inside")
    except ValueError:
        LOG.exception("job %s: it broke", "12ab\x1b[2J")


def test_warnings_are_one_line_each_and_events_are_not_shown(screen: Any) -> None:
    with log_to(screen.terminal, verbose=False):
        LOG.info("job 1: loaded")
        LOG.warning("job 2: no stop value")
        broken()
    lines = screen.err.getvalue().splitlines()
    assert [re.sub(r"^\d\d:\d\d:\d\d ", "", line) for line in lines] == [
        "warning job 2: no stop value",
        "error job 12ab�[2J: it broke",
    ]


def test_verbose_shows_events_and_tracebacks(screen: Any) -> None:
    with log_to(screen.terminal, verbose=True):
        LOG.debug("too much")
        LOG.info("job 1: loaded")
        broken()
    said = screen.err.getvalue()
    assert "info job 1: loaded\n" in said
    assert "ValueError: inside" in said
    assert "too much" not in said


def test_afterwards_logging_is_as_before(screen: Any) -> None:
    logger = logging.getLogger("scoopi")
    before = (logger.level, list(logger.handlers))
    with log_to(screen.terminal, verbose=True):
        assert logger.handlers != before[1]
    assert (logger.level, logger.handlers) == before
