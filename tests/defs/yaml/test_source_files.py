"""Which files are definition files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.defs.scrape.defs_reader import read_definitions
from tests.defs.written import DATA, PLACES, TASKS, Check, Outcome, write

_NOBODY = 65534


def _read(path: Path, folder: Path) -> Outcome:
    return Outcome(*read_definitions(path), folder)


def test_a_folder_is_read_with_all_below_it_sorted_by_path(check: Check) -> None:
    outcome = check({"b.yml": PLACES, "a/z.yaml": TASKS, "a/b/c.yml": DATA})
    names = [Path(file).name for file in outcome.report.files]
    assert (outcome.found, names) == ([], ["c.yml", "z.yaml", "b.yml"])


@pytest.mark.parametrize(
    "name",
    [".git/a.yml", "plugins/a.yml", "sub/conf/a.yml", "output/a.yml", "a.YML", "a.yml.bak", "notes.txt"],
)
def test_what_is_no_definition_file_is_left_aside(check: Check, name: str) -> None:
    outcome = check({"defs.yml": PLACES + TASKS + DATA, name: "nonsense: 1"})
    assert (outcome.found, len(outcome.report.files)) == ([], 1)


def test_one_file_is_read_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a.yml": PLACES + TASKS + DATA, "b.yml": "nonsense: 1"})
    outcome = _read(tmp_path / "a.yml", tmp_path)
    assert (outcome.found, outcome.report.files) == ([], (str(tmp_path / "a.yml"),))


def test_a_circle_of_links_between_folders_is_walked_once(check: Check, tmp_path: Path) -> None:
    write(tmp_path, {"defs/defs.yml": PLACES + TASKS + DATA})
    (tmp_path / "defs" / "again").symlink_to(tmp_path / "defs")
    assert len(check({}).report.files) == 1


def test_what_is_no_regular_file_is_left_aside_whatever_its_name(check: Check, tmp_path: Path) -> None:
    write(tmp_path, {"defs/defs.yml": PLACES + TASKS + DATA})
    os.mkfifo(tmp_path / "defs" / "x.yml")
    assert (check({}).found, len(check({}).report.files)) == ([], 1)


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_file_whose_path_is_not_utf_8_is_reported(tmp_path: Path, is_alone: bool) -> None:
    name = os.fsdecode(b"caf\xe9.yml")
    write(tmp_path, {"a.yml": PLACES + TASKS + DATA, name: "x-a: 1"})
    outcome = _read(tmp_path / name if is_alone else tmp_path, tmp_path)
    assert outcome.sentences == ["error its path is not UTF-8; rename the file, or the folder in which it is"]
    assert "caf\\\\udce9.yml" in outcome.report.json()


def test_a_link_that_leads_nowhere_is_reported_as_such(check: Check, tmp_path: Path) -> None:
    write(tmp_path, {"defs/defs.yml": PLACES + TASKS + DATA})
    (tmp_path / "defs" / "h.yml").symlink_to("gone.yml")
    assert check({}).sentences == [
        "error it is a link to gone.yml, and there is no such file; put the file there, or remove the link"
    ]


def test_a_missing_folder_is_one_finding_with_the_name_it_resembles(tmp_path: Path) -> None:
    (tmp_path / "weather").mkdir()
    outcome = _read(tmp_path / "wether", tmp_path)
    assert outcome.found == ["wether: error there is no such file or folder; did you mean weather?"]
    assert outcome.definitions.locator_groups == {}


def test_a_folder_without_definition_files_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "defs").mkdir()
    outcome = _read(tmp_path / "defs", tmp_path)
    assert outcome.found == ["defs: error the folder holds no definition files; put a .yml file there"]


def test_files_without_content_are_one_finding(check: Check, tmp_path: Path) -> None:
    outcome = check({"a.yml": "", "b.yml": "# later\n"})
    hint = "begin with locatorGroups:, or with processes: for the scheduler"
    assert outcome.sentences == [f"error the files hold no definitions; {hint}"]


@pytest.fixture
def shut(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder that an ordinary user may enter, read as one."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    is_root = os.geteuid() == 0
    yield folder
    if is_root:
        os.seteuid(0)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    shutil.rmtree(folder)


def _become_ordinary() -> None:
    if os.geteuid() == 0:
        os.seteuid(_NOBODY)


def test_a_folder_without_rights_is_one_finding(shut: Path) -> None:
    (shut / "defs").mkdir(mode=0o000)
    _become_ordinary()
    outcome = _read(shut / "defs", shut)
    assert outcome.found == ["defs: error it cannot be read: Permission denied; change its permissions"]


def test_a_file_without_rights_is_one_finding_and_hides_no_other(shut: Path) -> None:
    write(shut, {"defs/a.yml": DATA, "defs/b.yml": PLACES.replace("name", "nam")})
    (shut / "defs" / "a.yml").chmod(0o000)
    (shut / "defs").chmod(0o755)
    _become_ordinary()
    outcome = _read(shut / "defs", shut)
    assert outcome.found == [
        "defs/a.yml: error it cannot be read: Permission denied; change its permissions",
        "defs/b.yml:2:25: error locatorGroups.city.locators[0]: unknown key nam; did you mean name?",
    ]
