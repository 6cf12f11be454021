"""What is an expression over the row, and what it reads of it."""

from __future__ import annotations

import pytest

from scoopi.model.text.pure_expression import dependence, reads_of


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("1 + 1", ""),
        ("'it\\'s' + \"=\" + `;`", ""),
        ("item.value.length > 6 ? 'long' : 'short'", "item.value"),
        ("(item.index) * 2 - -3 / axis.index", "item.index axis.index"),
        ("`${dim.size.value}-${fact.value?.trim() ?? ''}`", "dim.* fact.value"),
        ("item['two words'].value.split(',')[0]", "item.*"),
        ("[item, 1].join()", "item.*"),
        ("typeof record", "record.*"),
        ("/^(a|[/)])/i.test(item.value) && !parent.done", "item.value parent.*"),
        ("Math.round(Number(item.value) * 100) / 100", "item.value"),
        ("`a${`b${item.value}`}`", "item.value"),
        ("item.value\n  .replace(/,/g, '')", "item.value"),
    ],
)
def test_an_expression_reads_what_it_names(text: str, reads: str) -> None:
    found = reads_of(text)
    assert found is not None
    assert {".".join(read) for read in found} == {*reads.split()}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n",
        "n + 1",
        "f()",
        "item.value = 1",
        "item.value += 1",
        "++item.index",
        "item.index--",
        "new Date()",
        "item.value; 1",
        "var a = 1",
        "a => a",
        "[1].map(x => x)",
        "function f() {}",
        "{}",
        "({ a: 1 })",
        "item.value // the name",
        "item.value /* the name */",
        "document.name",
        "configs.getConfig('a')",
        "Date()",
        "this",
        "eval('n = 1')",
        "item.value.valueOf()",
        "item()",
        "item.trim()",
        "(item.value.trim)()",
        "Math.random()",
        "(Math).random()",
        "Math['random']()",
        "'a'.replace(/a/, Math.random)",
        "''.constructor.constructor('return n')()",
        "''['constructor']['constructor']('return n')()",
        "item.__proto__",
        "item.__defineGetter__('a', item)",
        "item[item.value]",
        "item['val' + 'ue']",
        "String.raw`a`",
        "item.value`a`",
        "`${n}`",
        "`${item.value",
        "'open",
        "(1",
        "1)",
        "(1]",
        "1 2",
        "item.value item.index",
        "delete item.value",
        "void 0",
        "'value' in item",
        "import('x')",
        "1 + \N{LATIN SMALL LETTER E WITH ACUTE}",
        "item.value" + " + 1" * 2000,
    ],
)
def test_what_may_be_more_than_an_expression_over_the_row_is_refused(text: str) -> None:
    assert reads_of(text) is None


def test_an_object_stands_for_the_first_axis_of_its_name() -> None:
    names = ["item", "dim", "dim", "fact"]

    def parts(text: str, own: int) -> tuple[object, object]:
        reads = reads_of(text)
        assert reads is not None
        return dependence(reads, names, own)

    assert parts("item.value + dim.index", 3) == ([1], [0])
    assert parts("dim.size.value", 3) == ([1, 2], [1, 2])
    assert parts("axis.index + axis.value", 2) == ([2], [2])
    assert parts("item.order + 1", 2) == ([], [])
