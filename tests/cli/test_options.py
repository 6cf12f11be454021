"""Options: how the values of settings, inputs and clusters are read from a command line."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from pathlib import Path

import pytest

from scoopi.cli.arguments import Parser
from scoopi.cli.options import (
    add_run_options,
    cluster_settings,
    given_inputs,
    inputs_of_file,
    member_addresses,
    name_cluster,
    read_inputs,
    read_settings,
)
from scoopi.errors import UsageError


def test_settings_are_keys_and_values_of_which_the_last_counts() -> None:
    assert read_settings(["a.b=1", " a.c =x=y", "a.b=", "d= "]) == {"a.b": "", "a.c": "x=y", "d": " "}


@pytest.mark.parametrize("text", ["a.b", "=1", " =1", ""])
def test_a_setting_without_its_key_or_sign_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not KEY=VALUE"):
        read_settings([text])


def test_inputs_are_names_and_values() -> None:
    assert read_inputs(["a=1", "b=x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    assert given_inputs(Namespace(inputs=["a=1"])).values == {"a": "1"}


@pytest.mark.parametrize(
    ("texts", "what"),
    [(["a"], "'a' is not an input"), (["=1"], "'=1' is not"), (["a=1", "a=2"], "the input a is given twice")],
)
def test_an_input_without_a_name_or_given_twice_is_refused(texts: list[str], what: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_inputs(texts)
    assert raised.value.what.startswith(what)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ('{"day": "007", "copies": 2, "to": null}', {"day": "007", "copies": "2", "to": "null"}),
        ("day: 2026-01-31\nzip: 007\nto: null\n", {"day": "2026-01-31", "zip": "007", "to": "null"}),
        ("# of today\ntags: [a, 1]\n", {"tags": '["a", "1"]'}),
    ],
)
def test_inputs_of_a_file_are_json_or_yaml(tmp_path: Path, text: str, inputs: dict[str, str]) -> None:
    (tmp_path / "inputs").write_text(text)
    assert inputs_of_file(str(tmp_path / "inputs")) == inputs


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("- a", "holds a list, not names with values"),
        ('{"a": }', "Expecting value: line 1 column 7"),
        ("a: 1\nb: [", "line 2, column 5: "),
        ("a: 1\n b: 2", "line 2, column 3: mapping values are not allowed"),
        ("", "holds nothing, not names with values"),
        pytest.param("[" * 100_000, "it is nested too deeply", id="deep"),
    ],
)
def test_a_file_of_inputs_that_cannot_be_read_is_refused(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "inputs").write_text(text)
    with pytest.raises(UsageError) as raised:
        inputs_of_file(str(tmp_path / "inputs"))
    assert what in raised.value.what


def options(cluster: str | None = None, store: str | None = None, *settings: str) -> Namespace:
    return Namespace(cluster=cluster, store=store, settings=[*settings])


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        (options(), {}),
        (options(None, None, "a=1"), {"a": "1"}),
        (options("h:1,i:2"), {"scoopi.cluster.addresses": "h:1,i:2", "scoopi.cluster.store": ""}),
        (
            options(None, "postgresql://ann:${env:PW}@h/d"),
            {"scoopi.cluster.store": "postgresql://ann:${env:PW}@h/d", "scoopi.cluster.addresses": ""},
        ),
        (
            options(None, "hazelcast://h:5701,i:5701"),
            {"scoopi.cluster.addresses": "h:5701,i:5701", "scoopi.cluster.store": ""},
        ),
        (
            options("h:1", None, "scoopi.cluster.addresses=x:9"),
            {"scoopi.cluster.addresses": "h:1", "scoopi.cluster.store": ""},
        ),
    ],
)
def test_a_cluster_or_a_database_is_named_in_place_of_the_settings(
    given: Namespace, settings: dict[str, str]
) -> None:
    assert cluster_settings(given) == settings
    name_cluster(given)
    assert read_settings(given.settings) == settings


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (options("h:1", "postgresql://h/d"), "--store and --cluster both name where runs are kept"),
        (options(None, "hazelcast://h:5701/jobs"), "names the state of a scheduler"),
        (options(None, "mysql://h/d"), "mysql"),
    ],
)
def test_what_keeps_no_runs_is_refused(given: Namespace, what: str) -> None:
    with pytest.raises(UsageError) as raised:
        cluster_settings(given)
    assert what in str(raised.value)


@pytest.mark.parametrize("text", ["", "  "])
def test_a_blank_cluster_does_not_start_a_run_without_one(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="needs HOST:PORT"):
        member_addresses(text)
    assert member_addresses("h:1") == "h:1"


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("", "workers", None),
        ("--workers AUTO", "workers", "auto"),
        ("--workers 256", "workers", "256"),
        ("--limit 1", "limit", 1),
        ("--plain", "settings", ["scoopi.parser.plain=true"]),
        ("-D a=1 --plain", "settings", ["a=1", "scoopi.parser.plain=true"]),
        ("-q", "quiet", True),
        ("", "output", "output"),
    ],
)
def test_the_options_of_a_run_are_read(line: str, name: str, value: object) -> None:
    parser = Parser()
    add_run_options(parser)
    assert getattr(parser.parse_args(line.split()), name) == value


@pytest.mark.parametrize(
    "line", ["--workers 257", "--workers -1", "--workers two", "--limit 0", "--limit -3", "--limit ٣"]
)
def test_numbers_outside_of_their_range_are_refused(line: str) -> None:
    parser = Parser()
    add_run_options(parser)
    with pytest.raises(UsageError, match=r"needs a (whole )?number from"):
        parser.parse_args(line.split())
