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
PRIVATE_NAMES: set[str] = set()
"""Private names of Scoopi that tests use."""

WORDS: dict[str, str] = {
    "tests/docs": "test_language.py",  # a column of bicycles
    "tests/model": "test_site_session.py",  # a tab before the value `old`
}
"""Folder -> its files that may contain words of the list."""
UNTESTED: dict[str, tuple[str, str]] = {
    "scoopi": (
        "run_control is run by tests/cluster, authoring by the tests of the verbs",
        "authoring.py run_control.py",
    ),
    "scoopi/bootstrap": (
        "wiring; every run of tests/run and tests/cluster resolves it",
        "boot_module.py bootstrap.py worker_wiring.py",
    ),
    "scoopi/bootstrap/steps": (
        "wiring; every run of tests/run and tests/cluster resolves it",
        "step_builder.py",
    ),
    "scoopi/pages": (
        "test_fetch_verb.py and test_parse_verb.py load and read pages with them",
        "page_fetch.py page_parse.py page_visit.py",
    ),
    "scoopi/bootstrap/wiring": (
        "wiring; every run of tests/run and tests/cluster resolves it",
        "engine_module.py jobs_module.py output_wiring.py rows_module.py workers_module.py",
    ),
    "scoopi/cli/verbs": (
        "test_verbs.py, test_new_verb.py and tests/cluster run the verbs",
        "member_verb.py",
    ),
    "scoopi/defs/schedule": (
        "test_schedule_language.py reads a valid and an invalid value of every key through them",
        "process_keys.py settings_keys.py",
    ),
    "scoopi/defs/scrape": (
        "the tests of definitions compose through them",
        "checkers.py defs_groups.py",
    ),
    "scoopi/browser": (
        "a port and a value; tests/browser hold the tabs of real browsers to it",
        "started.py",
    ),
    "scoopi/browser/chromium": (
        "tests/browser/page/test_request_rules.py holds both browsers to it",
        "site_requests.py",
    ),
    "scoopi/browser/firefox": (
        "tests/browser run with each_browser, in both of them",
        "firefox_driver.py firefox_tab.py",
    ),
    "scoopi/defs/records": (
        "test_short_forms.py and test_record_defs.py compose through them",
        "record_def_builder.py",
    ),
    "scoopi/engine": (
        "tests/engine runs them as processes",
        "engine.py",
    ),
    "scoopi/fetch/downloads": (
        "test_file_exchange.py receives through it",
        "file_reception.py",
    ),
    "scoopi/cli/schedule_verbs": (
        "tests/serve/test_server.py runs it as a process",
        "serve_verb.py",
    ),
    "scoopi/model/schedule": (
        "values; the tests of the scheduler's language and of its passes compare them",
        "schedule_records.py",
    ),
    "scoopi/serve/notices": (
        "test_notice_sender.py runs it as a process",
        "notice_call.py",
    ),
    "scoopi/serve/work": (
        "test_keeper.py and tests/serve/test_server.py run them as processes",
        "child.py",
    ),
    "scoopi/parse/bridge": (
        "the build; test_html_backend.py and tests/packaging use what it builds",
        "build.py build_hook.py",
    ),
    "scoopi/publishing": (
        "test_publisher.py and tests/cluster publish through them",
        "run_rows.py shared_rows.py table_load.py",
    ),
    "scoopi/runs": (
        "tests/engine and tests/cluster begin, resume and end runs through them",
        "run_context.py",
    ),
    "scoopi/runs/rows": (
        "test_rows_verb.py reads rows of runs with it, also while they run",
        "run_rows_reader.py",
    ),
    "scoopi/steps": (
        "a base class, and steps that tests/engine/test_record_runs.py runs",
        "record_steps.py",
    ),
    "scoopi/steps/downloads": (
        "tests/engine/test_downloads.py loads files by them, test_record_files.py names them",
        "file_loading.py row_files.py",
    ),
}
"""Folder -> the reason why files with logic have no test of their name, and the names of these files."""
