"""The walk over an element finds what each field's own query finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoopi.parse.records.record_compiler import compile_records
from tests.parse.record_page import facts_of, page_of, record_def

_TAGS = st.sampled_from(["div", "p", "b", "i"])
_CLASSES = st.lists(st.sampled_from(["a", "b", "A", "é"]), max_size=2).map(" ".join)


@st.composite
def _elements(draw: st.DrawFn, depth: int = 3) -> str:
    tag = draw(_TAGS if depth else st.sampled_from(["b", "i"]))
    inner = "".join(draw(st.lists(_elements(depth - 1), max_size=3))) if depth else ""
    name = draw(st.sampled_from(["", " id=x", " title=t"]))
    return (
        f"<{tag} class='{draw(_CLASSES)}'{name}>{draw(st.sampled_from(['', ' one ', 'two']))}{inner}</{tag}>"
    )


_COMPOUNDS = st.sampled_from(["div", "p", "b", ".a", ".b", "b.a", "#x", "i.a.b", "*", ".é", "p:first-child"])
_SELECTORS = st.lists(_COMPOUNDS, min_size=1, max_size=3).flatmap(
    lambda parts: st.lists(st.sampled_from([" ", " > "]), min_size=2, max_size=2).map(
        lambda signs: "".join(
            f"{part}{sign}" for part, sign in zip(parts, [*signs, ""], strict=False)
        ).rstrip(" >")
    )
)
_FIELDS = st.dictionaries(
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


@given(st.lists(_elements(), max_size=4).map("".join), _FIELDS, st.sampled_from(["div", ".a", "body > *"]))
def test_the_compiled_and_the_plain_evaluator_agree(page: str, fields: dict[str, object], each: str) -> None:
    definition = record_def(fields, each=each)
    compiled = compile_records(definition, 1000, {})
    plain = compile_records(definition, 1000, {}, plain=True)
    assert compiled.read(page_of(page), facts_of()) == plain.read(page_of(page), facts_of())
