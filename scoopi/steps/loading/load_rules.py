"""LoadRules: what applies to all pages that a worker loads."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec

from scoopi.fetch.robots_text import DEFAULT_TOKEN
from scoopi.parse.parts.page_part import PagePart
from scoopi.parse.tree.page import TreeLimits
from scoopi.steps.loading.browser_choice import BrowserChoice
from scoopi.steps.loading.file_loading import FileLoading
from scoopi.steps.loading.worker_sessions import WorkerSessions


class LoadRules(msgspec.Struct, frozen=True):
    """What all loaders of a run have in common.

    Attributes:
        run_date: the run's date-time, which becomes the `from_date` of a loaded page.
        limits: the limits of the trees that are built from pages.
        saves: whether the pages of a group, given by name, are saved in the archive.
        on_sent: called with (job, host) after a request is sent; None if the run needs no report.
        robots_token: the product token that robots.txt uses for this agent, in lower case.
        sessions: the cookies of sites that keep them; None if no site does.
        choice: decides which pages a browser loads; None if no group has `loader: auto`.
        files: loads the files that rows name; None if no definition has a download.
        part_of: which parts of the pages of a group, given by name, the definitions read; None for all.
        in_browsers: the groups with `loader: browser` or `auto`, whose empty pages a browser has loaded.
    """

    run_date: datetime
    limits: TreeLimits
    saves: Callable[[str], bool]
    on_sent: Callable[[str, str], None] | None = None
    robots_token: str = DEFAULT_TOKEN
    sessions: WorkerSessions | None = None
    choice: BrowserChoice | None = None
    files: FileLoading | None = None
    part_of: Callable[[str], PagePart | None] = lambda group: None
    in_browsers: frozenset[str] = frozenset()
