"""A conf file is YAML without surprises, and each fault has its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.configs.conf_file import ConfFile, plain_value


def read(tmp_path: Path, text: str | bytes) -> ConfFile:
    path = tmp_path / "s.yml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ConfFile(path, "s.yml").read()


def test_nested_dotted_and_mixed_keys_are_the_same(tmp_path: Path) -> None:
    conf = read(
        tmp_path,
        "scoopi:\n  loader:\n    fetch.delay: 5\n  loader.fetch:\n    parallelism: 2\nscoopi.workers: 3\n",
    )
    assert conf.faults == []
    assert [(given.key, given.text, given.origin) for given in conf.given] == [
        ("scoopi.loader.fetch.delay", "5", "s.yml:3"),
        ("scoopi.loader.fetch.parallelism", "2", "s.yml:5"),
        ("scoopi.workers", "3", "s.yml:6"),
    ]


@pytest.mark.parametrize("text", ["no", "1:30", "0777", "2020-01-01", "1e3", "~x", "0x10"])
def test_a_value_is_the_text_as_written(tmp_path: Path, text: str) -> None:
    assert [given.text for given in read(tmp_path, f"a.b: {text}\n").given] == [text]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "scoopi: {}\n"])
def test_a_file_without_settings_is_no_fault(tmp_path: Path, text: str) -> None:
    conf = read(tmp_path, text)
    assert (conf.given, conf.faults) == ([], [])


def test_an_empty_text_is_a_value_and_no_value_is_a_fault(tmp_path: Path) -> None:
    conf = read(tmp_path, 'a: ""\nb:\nc: d\n')
    assert [given.text for given in conf.given] == ["", "d"]
    assert [str(fault) for fault in conf.faults] == [
        's.yml:2:3: b has no value; write a value, "" for an empty text, or remove the line'
    ]


def test_a_key_set_twice_is_reported_with_both_lines(tmp_path: Path) -> None:
    conf = read(tmp_path, "scoopi:\n  workers: 1\nscoopi.workers: 1\n")
    assert [str(fault) for fault in conf.faults] == [
        "s.yml:3:17: scoopi.workers is set twice, first in line 2; keep one of them"
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: b: c\n", "s.yml:1:5: the file is not YAML"),
        ("a:\n\tb: 1\n", "s.yml:2:1: the file is not YAML"),
        ("a: 1\n---\nb: 2\n", "s.yml:2:1: the file is not YAML"),
        ("- a\n- b\n", "s.yml:1:1: the file is a list"),
        ("a: [1, 2]\n", "s.yml:1:4: a is a list"),
        ("just text\n", "s.yml:1:1: the file holds a text"),
        ("? [a]\n: b\n", "s.yml:1:3: a key must be a plain name"),
        ("a: &x {b: 1}\nc: *x\n", "c repeats an anchored block"),
        ("a: &x\n  b: *x\n", "a.b repeats an anchored block"),
        (b"\xff\xfe\x00", "s.yml: the file is not UTF-8 text"),
        (b"a: \x00\n", "the file is not YAML"),
        ("#" * 1_000_001, "s.yml: the file is too large"),
        ("a: " + "[" * 100_000, "s.yml: the file is not YAML: it is nested too deep"),
        ("a: " + "{b: " * 100_000, "s.yml: the file is not YAML: it is nested too deep"),
    ],
)
def test_what_is_no_settings_file_is_one_fault_with_its_place(
    tmp_path: Path, text: str | bytes, fault: str
) -> None:
    conf = read(tmp_path, text)
    assert len(conf.faults) == 1
    assert fault in str(conf.faults[0])


def test_a_missing_file_and_a_folder_are_faults(tmp_path: Path) -> None:
    missing = ConfFile(tmp_path / "no.yml", "no.yml").read()
    folder = ConfFile(tmp_path, "folder").read()
    assert "no.yml: the settings cannot be read: No such file or directory" in str(missing.faults[0])
    assert "folder: the settings cannot be read: Is a directory" in str(folder.faults[0])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [null, true]}', {"a": 1, "b": [None, True]}),
        ("a: 1\nb: [~, yes]", {"a": "1", "b": ["~", "yes"]}),
        ("just a text", "just a text"),
        ("", None),
    ],
)
def test_json_has_its_types_and_yaml_is_texts(text: str, value: object) -> None:
    assert plain_value(text) == value


def test_yaml_may_begin_with_a_bracket() -> None:
    assert plain_value("{ day: 2026-01-31, n: 007 }") == {"day": "2026-01-31", "n": "007"}


@pytest.mark.parametrize(
    ("text", "place"),
    [('{"a": }', "line 1 column 7"), ("a: 1\nb: [", "line 2, column 5"), ("a: \x00", "special characters")],
)
def test_an_error_names_its_place(text: str, place: str) -> None:
    with pytest.raises(ValueError, match=place):
        plain_value(text)
