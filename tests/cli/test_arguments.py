"""Arguments: which verb a command line means, and what is suggested when it means none."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.cli.arguments import FOREIGN, VERBS, read_options, top_help, verb_of
from scoopi.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hint_of(*words: str) -> tuple[str, str]:
    with pytest.raises(UsageError) as raised:
        verb_of(words)
    return raised.value.what, raised.value.hint


def test_a_verb_is_taken_from_its_arguments() -> None:
    assert verb_of(["check", "defs", "--json"]) == ("check", ["defs", "--json"])


@pytest.mark.parametrize("words", [["defs"], ["defs", "--quiet"], ["--quiet", "defs"], ["-D", "a=b", "defs"]])
def test_definitions_without_a_verb_are_run(folder: Path, words: list[str]) -> None:
    (folder / "defs").mkdir()
    assert verb_of(words) == ("run", words)


def test_a_file_is_preferred_to_the_verb_of_another_tool(folder: Path) -> None:
    (folder / "crawl").touch()
    assert verb_of(["crawl"]) == ("run", ["crawl"])


def test_missing_definitions_are_left_to_run_which_names_their_path() -> None:
    for words in (["books"], ["some/books"], ["books", "--quiet"], ["a.yml", "b"]):
        assert verb_of(words) == ("run", words)


def test_a_misspelt_verb_gets_the_nearest_one() -> None:
    assert hint_of("chekc", "defs") == (
        "unknown command chekc, and no such file or folder",
        "did you mean scoopi check?",
    )


def test_a_word_with_arguments_that_is_like_no_verb_gets_the_help() -> None:
    assert hint_of("zzzz", "defs")[1] == "see scoopi --help"


@pytest.mark.parametrize("word", sorted(FOREIGN))
def test_the_verb_of_another_tool_gets_that_of_scoopi(word: str) -> None:
    assert word not in VERBS
    assert hint_of(word.upper()) == (f"unknown command {word.upper()}", FOREIGN[word])


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        (["--jsno"], "unknown option --jsno", "did you mean --json?"),
        (["--zzz=1"], "unknown option --zzz", "see scoopi fetch --help"),
        (["more"], "unknown argument more", "see scoopi fetch --help"),
    ],
)
def test_an_unknown_option_is_named_with_the_nearest_one(words: list[str], what: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_options("fetch", ["http://a/", *words])
    assert (raised.value.what, raised.value.hint) == (what, hint)


def test_an_option_is_not_abbreviated() -> None:
    with pytest.raises(UsageError, match="unknown option --js"):
        read_options("fetch", ["http://a/", "--js"])


def test_a_missing_argument_names_the_help_of_the_verb() -> None:
    with pytest.raises(UsageError) as raised:
        read_options("fetch", [])
    assert raised.value.hint == "see scoopi fetch --help"


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_has_a_module_and_a_line_of_the_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"  {name} " in top_help()
    with pytest.raises(SystemExit):
        read_options(name, ["--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("usage: ")
    assert "\nexample:\n  scoopi " in shown
