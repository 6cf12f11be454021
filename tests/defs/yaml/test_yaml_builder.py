"""YamlBuilder: nodes with their places, and what is valid YAML and refused all the same."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scoopi.defs.yaml import entries, yaml_builder
from scoopi.defs.yaml.entries import A_PART, FlatTable
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text, plain
from scoopi.defs.yaml.open_blocks import OpenListing
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
    listed = list(root.entries["a"].entries)  # type: ignore[union-attr]
    assert [str(entry.place) for entry in listed] == ["a.yml:2:5", "a.yml:3:5"]
    assert [entry.is_quoted for entry in listed if isinstance(entry, Text)] == [False, True]


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


ODD = (
    "{ name: odd, url: /o }",
    "{ name: odd, url: '' }",
    "{ name: odd, url: }",
    "{ name: odd, url: ~ }",
    '{ name: "12", url: "true" }',
    "{ name: !!str odd, url: /o }",
    "{ name: &name%d odd, url: /o }",
    "&odd%d { name: odd, url: /o }",
    "*base",
    "{ <<: *base, url: /o }",
    "{ name: odd, name: odd, url: /o }",
    "{ name: odd, name: other, url: /o }",
    "{ ' ': odd, url: /o }",
    "{ name: odd, url: /o, values: { n: 1-3 } }",
    "{ name: odd, url: [ /o ] }",
    "{ [ name ]: odd }",
    "{}",
    "[ name, url ]",
    "odd",
    "",
    "\n    name: odd\n    url: |\n      /a\n      /b",
)
"""Entries of a list that may not be added as flat tables, and some that may."""


def _described(node: Node) -> object:
    """A node with its places, flags and names; of a flat table as if it had been built."""
    if isinstance(node, Text):
        return node.text, node.place, node.is_empty
    if isinstance(node, Listing):
        return node.place, [_described(each) for each in node.entries]
    return node.place, node.keys, {name: _described(each) for name, each in node.entries.items()}


def _findings_of(builder: YamlBuilder) -> list[str]:
    findings = Findings()
    for note in builder.notes:
        note(findings)
    return [f"{each.place} {each.what} {each.also}" for each in findings.sorted()]


@given(
    odd=st.dictionaries(st.integers(0, 12), st.sampled_from(ODD), max_size=8),
    loader=st.sampled_from([yaml.SafeLoader, yaml.CSafeLoader]),
)
def test_a_long_list_holds_what_its_nodes_would(odd: dict[int, str], loader: type[yaml.SafeLoader]) -> None:
    listed = [odd.get(at, f"{{ name: n{at}, url: /p{at} }}").replace("%d", str(at)) for at in range(13)]
    text = "base: &base { name: base, url: /b }\nall:\n" + "".join(f"  - {entry}\n" for entry in listed)
    quick, reference = YamlBuilder("a.yml"), YamlBuilder("a.yml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "A_PART", 3)
        found = quick.build(yaml.parse(text, Loader=loader))
        patch.setattr(OpenListing, "is_long", False)
        expected = reference.build(yaml.parse(text, Loader=loader))
    assert found is not None
    assert expected is not None
    assert _described(found) == _described(expected)
    assert _findings_of(quick) == _findings_of(reference)


def test_flat_tables_of_a_long_list_get_no_nodes_of_their_own() -> None:
    listed = "".join(f"- {{ name: n{number}, url: /p{number} }}\n" for number in range(A_PART + 2))
    root = built(listed)
    assert isinstance(root, Listing)
    assert isinstance([*root.entries][-1], FlatTable)


def test_a_text_in_quotes_that_looks_like_a_number_stays_quoted_in_a_long_list() -> None:
    listed = "".join(f"- {{ name: n{number}, url: '7' }}\n" for number in range(A_PART + 2))
    root = built(listed)
    assert isinstance(root, Listing)
    last = [*root.entries][-1]
    assert isinstance(last, Table)
    assert isinstance(url := last.entries["url"], Text)
    assert url.is_quoted


def test_the_nodes_of_a_long_list_count_for_the_most_that_aliases_may_stand_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(yaml_builder, "MOST_NODES", 3 * 300 + 10)
    listed = "".join(f"  - {{ name: n{number}, url: /p }}\n" for number in range(300))
    assert built(f"a: &a\n{listed}") is not None
    with pytest.raises(RefusedError):
        built(f"a: &a\n{listed}b: [ *a, *a ]\n")
