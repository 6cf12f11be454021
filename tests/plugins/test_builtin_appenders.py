"""FileAppender, ListAppender: where the rows of an appender go."""

from __future__ import annotations

import pytest

from scoopi.errors import PluginError
from scoopi.plugins.builtin_appenders import FileAppender, ListAppender


@pytest.mark.parametrize(
    ("file", "output"),
    [
        ("data.txt", "data.txt"),
        ("output/data.txt", "data.txt"),
        ("./output/data.txt", "data.txt"),
        ("output//x/data.txt", "x/data.txt"),
        ("output/output/data.txt", "output/data.txt"),
        ("x/../data.txt", "data.txt"),
        ("x/data.csv.gz", "x/data.csv.gz"),
        ("outputs/data.txt", "outputs/data.txt"),
        ("one", "one"),
        ("Größe 1.txt", "Größe 1.txt"),
        ("a..b.txt", "a..b.txt"),
        ("x/run.json", "x/run.json"),
        (f"{'é' * 127}", f"{'é' * 127}"),
    ],
)
def test_a_file_is_in_the_folder_of_the_run(file: str, output: str) -> None:
    assert FileAppender(file).output == output


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("/data.txt", "is absolute"),
        ("//data.txt", "is absolute"),
        ("../data.txt", "leaves the folder"),
        ("output/../../data.txt", "leaves the folder"),
        ("x/../../data.txt", "leaves the folder"),
        ("", "names no file"),
        (" ", "names no file"),
        (".", "names no file"),
        ("output", "names no file"),
        ("output/", "names no file"),
        ("x/", "names no file"),
        (".scoopi/state", "is reserved"),
        ("x/.hidden", "is reserved"),
        ("run.json", "is reserved;"),
        ("output/run.json", "is reserved;"),
        ("run.json/x", "is reserved;"),
        (".gz", "all names that begin with a dot"),
        (f"x/{'é' * 128}/data.txt", "more than 255 bytes"),
        ("a\x00b", "cannot be printed"),
        ("a\nb", "cannot be printed"),
    ],
)
def test_a_file_elsewhere_is_refused(file: str, why: str) -> None:
    with pytest.raises(PluginError, match=why):
        FileAppender(file)


def test_a_list_is_known_by_its_plugins_name() -> None:
    assert ListAppender("rows").output == "list:rows"
