"""Exceptions from the rules of `test_structure.py`; the lists can only become shorter."""

from __future__ import annotations

DOUBLE_NAMES: set[str] = set()
"""File names that occur in more than one folder."""
DOUBLE_CLASSES: set[str] = {
    # the interface that plugins implement under this name, and the thread that appends all frames
    "Appender",
}
"""Public classes of one name in more than one file."""
LONG_FILES: set[str] = set()
"""Files above the limit."""
FULL_FOLDERS: set[str] = set()
"""Folders above the limit."""
SMALL_FILES: dict[str, str] = {}
"""Small files with one importer -> the reason to keep them."""
LONG_FUNCTIONS: set[str] = set()
"""Functions above the limit."""
WIDE_CONSTRUCTORS: set[str] = {
    # the public entry point: every argument has a name and a default
    "scoopi/app.py:Scoopi",
}
"""Constructors above the limit."""
IDLE_PROVIDERS: set[str] = set()
"""Providers that only call a constructor."""
PRIVATE_NAMES: set[str] = {
    # Prefect's client has no public method for its counts
    "tests/benchmarks/scheduling/prefect_server.py:_client",
}
"""Private names that tests use, and that Scoopi has, too."""

WORDS: dict[str, str] = {
    "tests/docs": "test_language.py",  # a column of bicycles
    "tests/model": "test_site_session.py",  # a tab before the value `old`
}
"""Folder -> its files that may contain words of the list."""
TESTED_ELSEWHERE: dict[str, tuple[str, str]] = {
    "scoopi": (
        "these files are in no room; their tests are beside those of what they start",
        "app.py authoring.py descendants.py errors.py run_control.py scrape_attempt.py synced_files.py",
    ),
    "scoopi/cli/verbs": ("tested by runs on one machine", "retry_verb.py"),
    "scoopi/engine": ("tested by runs in a cluster", "cluster_retry.py"),
    "scoopi/mediator/budgets": ("tested by runs on one machine", "page_limit.py"),
    "scoopi/mediator/workers": ("tested by runs on one machine", "page_log.py"),
    "scoopi/model": (
        "tested by runs on one machine",
        "downloads.py",
    ),
    "scoopi/model/text": ("tested by hostile values", "page_text.py"),
    "scoopi/plugins": ("tested by hostile files", "plugin_files.py"),
    "scoopi/serve/services": ("tested by its verb", "backfill_service.py"),
    "scoopi/steps/readers": ("tested by runs on one machine", "row_reuse.py"),
}
"""Folder -> the reason why files with logic have their test in another room, and the names of these files."""
