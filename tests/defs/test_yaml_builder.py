"""YamlBuilder: nodes with their places, and what is valid YAML and refused all the same."""

from __future__ import annotations

import pytest
import yaml

from scoopi.defs.yaml import yaml_builder
from scoopi.defs.yaml.node import Node, Table, Text, plain
from scoopi.defs.yaml.yaml_builder import DEEPEST, RefusedError, YamlBuilder


def built(text: str) -> Node | None:
    return YamlBuilder("a.yml").build(yaml.parse(text, Loader=yaml.SafeLoader))


def test_an_empty_document_has_no_root() -> None:
    assert built("# nothing") is None


def test_each_node_has_its_place() -> None:
    root = built("a:\n  - x\n  - 'y'\n")
    assert isinstance(root, Table)
    assert plain(root) == {"a": ["x", "y"]}
    assert str(root.keys["a"]) == "a.yml:1:1"
    entries = list(root.entries["a"].entries)  # type: ignore[union-attr]
    assert [str(entry.place) for entry in entries] == ["a.yml:2:5", "a.yml:3:5"]
    assert [entry.is_quoted for entry in entries if isinstance(entry, Text)] == [False, True]


@pytest.mark.parametrize(
    ("text", "is_empty"), [("a:", True), ("a: ''", False), ("a: !!null ''", True), ("a: x", False)]
)
def test_only_what_is_not_written_is_empty(text: str, is_empty: bool) -> None:
    root = built(text)
    assert isinstance(root, Table)
    entry = root.entries["a"]
    assert isinstance(entry, Text)
    assert entry.is_empty is is_empty


def test_an_alias_is_what_its_anchor_names_and_a_merge_key_takes_its_entries() -> None:
    assert plain(built("a: &a {x: '1'}\nb: *a\nc: {<<: *a, y: '2'}")) == {  # type: ignore[arg-type]
        "a": {"x": "1"},
        "b": {"x": "1"},
        "c": {"y": "2", "x": "1"},
    }


@pytest.mark.parametrize("text", ["a: *b", "a: &x 1\nb: &x 2", "a: 1\n---\nb: 2"])
def test_what_is_no_single_document_is_an_error_of_yaml(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        built(text)


def test_a_block_that_holds_itself_is_refused() -> None:
    with pytest.raises(RefusedError, match="an anchored block holds itself") as refused:
        built("a: &a\n  b: *a\n")
    assert str(refused.value.place) == "a.yml:1:4"


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1])
def test_levels_have_a_limit(levels: int) -> None:
    text = "[" * levels + "]" * levels
    if levels == DEEPEST:
        assert built(text) is not None
        return
    with pytest.raises(yaml.YAMLError, match="nested deeper"):
        built(text)


def test_aliases_of_aliases_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_builder, "MOST_NODES", 30)
    few = "a: &a [x, x, x]\nb: &b [*a, *a]\nc: [*b]"
    assert built(few) is not None
    with pytest.raises(RefusedError, match="stand for more than 30 values"):
        built(few.replace("[*b]", "[*b, *b, *b]"))
