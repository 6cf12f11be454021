"""What only some runs need is loaded when it is met: so start-up stays short."""

from __future__ import annotations

import subprocess
import sys

import pytest

PARENT = "scoopi.app, scoopi.bootstrap.boot_module, scoopi.bootstrap.bootstrap"
WORKER = "scoopi.worker.__main__, scoopi.worker.worker, scoopi.bootstrap.worker_wiring"
RARE = [
    "regex",
    "_quickjs",
    "importlib.metadata",
    "symtable",
    "zoneinfo",
    "hazelcast",
    "rich",
    "scoopi.parse.xpath.xpath_engine",
]


@pytest.mark.parametrize(
    ("modules", "unneeded"),
    [
        (PARENT, [*RARE, "yaml", "pycurl", "ssl", "scoopi.fetch.http_client", "scoopi.archive.archive"]),
        (
            WORKER,
            [
                *RARE,
                "yaml",
                "sqlite3",
                "injector",
                "argparse",
                "csv",
                "email.utils",
                "secrets",
                "scoopi.defs.scrape.defs_reader",
                "scoopi.archive.archive",
                "scoopi.parse.grid.plain_reader",
            ],
        ),
    ],
    ids=["parent", "worker"],
)
def test_a_process_of_a_run_starts_without_what_few_runs_need(modules: str, unneeded: list[str]) -> None:
    code = f"import sys, {modules}; print(*sys.modules.keys() & {set(unneeded)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
