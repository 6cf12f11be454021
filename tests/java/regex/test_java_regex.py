"""Java patterns mean here what they mean in Java 17, whose own answers stand in the table beside.

But for boundaries, which go by ASCII as all else does; Java's do so since 19.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scoopi.errors import ParseError
from scoopi.java.regex.java_regex import compile_java

TABLE = Path(__file__).with_name("test_java_regex_table.tsv")


def java_answers() -> list[tuple[str, str, str, str]]:
    """Pattern, text, and `yes`, `no` or `error` for find and matches."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        (json.loads(row["pattern"]), json.loads(row["text"]), row["search"], row["fullmatch"]) for row in rows
    ]


@pytest.mark.parametrize(("pattern", "text", "search", "fullmatch"), java_answers())
def test_a_pattern_means_what_it_means_in_java(pattern: str, text: str, search: str, fullmatch: str) -> None:
    if search == "error":
        with pytest.raises(ParseError):
            compile_java(pattern)
        return
    compiled = compile_java(pattern)
    assert (compiled.search(text), compiled.fullmatch(text)) == (search == "yes", fullmatch == "yes")


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        (r"\bé", "é", False),
        (r"\bé\b", "é", False),
        (r"\ba", "éa", True),
        (r"\bun\b", "aucun", False),
        (r"\bun\b", "été un", True),
        (r"\Bé", "é", True),
        (r"a\b", "a\u0301", True),
        (r"(?U)\bé\b", "é", True),
        (r"(?U)\ba", "éa", False),
    ],
)
def test_a_boundary_is_where_ascii_words_begin_and_end(pattern: str, text: str, is_found: bool) -> None:
    assert compile_java(pattern).search(text) is is_found


def test_the_table_is_not_lost() -> None:
    assert len(java_answers()) >= 300


@pytest.mark.parametrize(
    ("pattern", "character", "fault"),
    [
        ("a**", 3, "* repeats nothing"),
        ("ab)", 3, "unmatched )"),
        ("a(b", 3, "a group is not closed"),
        ("[a-z", 4, "class is not closed"),
        (r"\Q(((\Ex{,2}", 9, "{ needs a number"),
        (r"ab\y", 4, r"no escape \y"),
        (r"\p{Foo}", 7, "no property 'Foo'"),
        ("[z-a]", 4, "ends before it begins"),
        ("ab\\", 3, "escapes nothing"),
        ("(?<n>a)(?<n>b)", 12, "two groups n"),
        (r"\1(a)", 5, "not complete yet"),
        (r"a\b{g}", 6, "cannot be translated"),
    ],
)
def test_a_fault_is_reported_with_its_character_and_the_hint(
    pattern: str, character: int, fault: str
) -> None:
    with pytest.raises(ParseError) as caught:
        compile_java(pattern)
    assert fault in caught.value.what
    assert f"at character {character}:" in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize("pattern", ["(" * 5000 + "a" + ")" * 5000, "[" * 5000 + "a" + "]" * 5000])
def test_too_deep_nesting_is_an_error_and_no_crash(pattern: str) -> None:
    with pytest.raises(ParseError, match="nests too deeply"):
        compile_java(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(((a{100}){100}){100}){100}",
        "(?:[a-z]{1000,}){1000}",
        "(\\b){10000}",
        "a|" * 300_000,
        r"\w" * 100_000,
    ],
)
def test_a_pattern_that_would_take_long_to_compile_is_refused(pattern: str) -> None:
    with pytest.raises(ParseError, match="with its repetitions it is longer than 200,000") as caught:
        compile_java(pattern)
    assert len(caught.value.what) < 500


def test_large_repetitions_without_much_inside_are_compiled() -> None:
    assert compile_java("(a{0,1000}b){0,1000}c{30000}").fullmatch("aab" + "c" * 30_000)


@pytest.mark.parametrize("search", ["search", "fullmatch"])
def test_the_time_limit_ends_a_catastrophic_pattern(search: str) -> None:
    pattern = compile_java(r"(a|aa)+$", timeout_ms=50)
    with pytest.raises(ParseError, match="longer than 50 ms on a text of 41 characters"):
        getattr(pattern, search)("a" * 40 + "b")


def test_a_reference_ignores_case_where_the_pattern_does() -> None:
    assert compile_java(r"(?i)(ab)-\1").fullmatch("ab-AB")
    assert not compile_java(r"(ab)-\1").fullmatch("ab-AB")


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [
        ("$2-$1", "B-A and D-C"),
        ("${two}${one}", "BA and DC"),
        ("${2}", "B and D"),
        ("[$0]", "[AB] and [CD]"),
        (r"\$1", "$1 and $1"),
    ],
)
def test_a_replacement_names_groups_by_number_or_name(replacement: str, expected: str) -> None:
    pattern = compile_java("(?<one>[A-Z])(?<two>[A-Z])")
    pattern.ensure_replacement(replacement)
    assert pattern.replaced("AB and CD", replacement) == expected


@pytest.mark.parametrize("replacement", ["$3", "${three}", "${12}"])
def test_a_replacement_that_names_an_unknown_group_is_an_error(replacement: str) -> None:
    pattern = compile_java("(?<one>[A-Z])(?<two>[A-Z])", flags="(?U)")
    for use in (lambda: pattern.ensure_replacement(replacement), lambda: pattern.replaced("AB", replacement)):
        with pytest.raises(ParseError) as raised:
            use()
        assert raised.value.what == (
            f"the replacement {replacement!r} names a group that '(?<one>[A-Z])(?<two>[A-Z])' does not have"
        )
