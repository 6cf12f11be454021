"""output_path: a name of a file stays in the run's folder, and is none of Scoopi's own."""

from __future__ import annotations

import pytest

from scoopi.model.text.output_path import LONGEST_NAME_BYTES, is_too_long, output_path


@pytest.mark.parametrize(
    ("file", "path"),
    [("a.csv", "a.csv"), (" output/b/a.csv ", "b/a.csv"), ("./a//b.csv", "a/b.csv"), ("b/../a", "a")],
)
def test_a_file_is_named_from_the_runs_folder(file: str, path: str) -> None:
    assert output_path(file) == path


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("/etc/passwd", "is absolute"),
        ("../a", "leaves the folder"),
        ("a/../../b", "leaves the folder"),
        ("", "names no file"),
        ("output", "names no file"),
        ("a/", "names no file"),
        ("run.json", "is reserved"),
        (".scoopi/a", "begin with a dot"),
        ("a/.b", "begin with a dot"),
        ("a\x07", "cannot be printed"),
        ("é" * 128, "more than 255 bytes"),
    ],
)
def test_other_names_are_refused(file: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        output_path(file)


def test_a_disk_takes_255_bytes() -> None:
    assert not is_too_long("a" * LONGEST_NAME_BYTES)
    assert is_too_long("a" * (LONGEST_NAME_BYTES + 1))
