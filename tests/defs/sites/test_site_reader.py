"""`sites` in files of settings: the keys of definitions, which they win over."""

from __future__ import annotations

from pathlib import Path

from scoopi.bootstrap.defs_checks import as_compared
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_reader import read_definitions
from tests.defs.written import DATA, PLACES, TASKS, write

CHECKERS = Checkers(host_pattern=as_compared)


def test_the_sites_of_a_conf_file_win_over_those_of_definitions(tmp_path: Path) -> None:
    conf = tmp_path / "conf.yml"
    write(tmp_path, {"defs/defs.yml": PLACES + TASKS + DATA, "defs/s.yml": "sites: { a: { delay: 1 } }\n"})
    conf.write_text("scoopi.workers: 1\nsites: { a: { delay: 2 }, b: { delay: three } }\n")
    _, report = read_definitions(tmp_path / "defs", checkers=CHECKERS, site_files=[str(conf)])
    assert [each.sentence() for each in report.errors] == [
        'sites.b.delay: delay must be a whole number of ms, not "three"; write `delay: 250`'
    ]
    conf.write_text("sites: { a: { delay: 2 } }\n")
    definitions, _ = read_definitions(tmp_path / "defs", checkers=CHECKERS, site_files=[str(conf)])
    assert [block.values for block in definitions.sites] == [{"delay_ms": 1}, {"delay_ms": 2}]
