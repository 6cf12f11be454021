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
FULL_FOLDERS: set[str] = {
    # one file for each verb, which the command line finds by its name
    "scoopi/cli/verbs",
}
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
IDLE_PROVIDERS: set[str] = {
    # `check` composes settings without the injector, whose import takes longer than its other work
    "scoopi/bootstrap/boot_module.py:BootModule.configs",
}
"""Providers that only call a constructor."""
PRIVATE_NAMES: set[str] = {
    # Prefect's client has no public method for its counts
    "tests/benchmarks/prefect_server.py:_client",
}
"""Private names that tests use, and that Scoopi has, too."""

WORDS: dict[str, str] = {
    "tests/docs": "test_language.py",  # a column of bicycles
    "tests/model": "test_site_session.py",  # a tab before the value `old`
}
"""Folder -> its files that may contain words of the list."""
UNTESTED: dict[str, tuple[str, str]] = {}
"""Folder -> the reason why files with logic have no test of their name, and the names of these files."""
