"""The walk over an element finds what each field's own query finds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.parse.records.record_compiler import compile_records, find_of
from scoopi.parse.records.record_walk import RecordWalk
from scoopi.parse.timing.stopwatch import Stopwatch
from tests.parse.record_page import facts_of, page_of, record_def
from tests.parse.tree.built_bridge import built_bridge

_TAGS = st.sampled_from(["div", "p", "b", "i"])
_TEXTS = st.sampled_from(
    [
        "",
        " one ",
        "two",
        "a<br>b",
        "<!-- c --> d",
        "e&nbsp; \u00ad\u200b£ ",
        "&#1;f",
        "<pre> g  h </pre>i",
        "<script>j</script>k",
        "<svg><style>l</style></svg>m",
        "<section> n</section>o<p></p>p",
    ]
)
_CLASSES = st.lists(st.sampled_from(["a", "b", "A", "é"]), max_size=2).map(" ".join)


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    tag = draw(_TAGS if depth else st.sampled_from(["b", "i"]))
    inner = "".join(draw(st.lists(elements(depth - 1), max_size=3))) if depth else ""
    name = draw(st.sampled_from(["", " id=x", " title=t"]))
    return f"<{tag} class='{draw(_CLASSES)}'{name}>{draw(_TEXTS)}{inner}</{tag}>{draw(_TEXTS)}"


_COMPOUNDS = st.sampled_from(["div", "p", "b", ".a", ".b", "b.a", "#x", "i.a.b", "*", ".é", "p:first-child"])
_SELECTORS = st.lists(_COMPOUNDS, min_size=1, max_size=4).flatmap(
    lambda parts: st.lists(st.sampled_from([" ", " > "]), min_size=3, max_size=3).map(
        lambda signs: "".join(
            f"{part}{sign}" for part, sign in zip(parts, [*signs, ""], strict=False)
        ).rstrip(" >")
    )
)
FIELDS = st.dictionaries(
    st.sampled_from("uvwxyz"),
    st.builds(
        lambda select, attribute, is_list, text: {
            "select": select + attribute,
            "list": is_list,
            "text": text,
        },
        _SELECTORS,
        st.sampled_from(["", " @title", " @class"]),
        st.booleans(),
        st.sampled_from(["visible", "own", "raw"]),
    ),
    min_size=1,
    max_size=4,
)


@given(st.lists(elements(), max_size=4).map("".join), FIELDS, st.sampled_from(["div", ".a", "body > *"]))
def test_the_compiled_and_the_plain_evaluator_agree(page: str, fields: dict[str, object], each: str) -> None:
    definition = record_def(fields, each=each)
    compiled = compile_records(definition, 1000, {})
    plain = compile_records(definition, 1000, {}, plain=True)
    timed = compile_records(definition, 1000, {}, timed=Stopwatch().timed)
    records = plain.read(page_of(page), facts_of())
    assert compiled.read(page_of(page), facts_of()) == records
    assert timed.read(page_of(page), facts_of()) == records


@given(st.lists(elements(), max_size=4).map("".join), FIELDS)
def test_the_walk_in_c_finds_what_the_walk_in_python_finds(page: str, fields: dict[str, object]) -> None:
    definition = record_def(fields)
    finds = [(field, find_of(field, definition, 1000)) for field in definition.fields]
    in_c, in_python = RecordWalk(finds, built_bridge().values), RecordWalk(finds)
    roots = list(page_of(page).root.iter("*"))

    assert _as_lists(in_c(roots)) == _as_lists(in_python(roots))


@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize("select", [".none div div div div div div b", ".none > div div > div div div div b"])
def test_a_selector_that_finds_nothing_among_deeply_nested_elements_ends(
    is_native: bool, select: str
) -> None:
    definition = record_def({"x": select, "y": "article > div div div b"})
    finds = [(field, find_of(field, definition, 1000)) for field in definition.fields]
    walk = RecordWalk(finds, built_bridge().values if is_native else None)
    page = page_of(f"<article>{'<div>' * 400}<b>1</b>{'</div>' * 400}</article>")

    assert _as_lists(walk([page.root])) == [[[], ["1"]]]


def _as_lists(found: Sequence[Sequence[Sequence[str]]]) -> list[list[list[str]]]:
    return [[[*values] for values in record] for record in found]
