"""is_harmless: scripts that leave JavaScript's own functions and objects as they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.script.data_script import DATA_HOSTS
from scoopi.script.entry_script import EntryScript
from scoopi.script.harmless_script import is_harmless
from scoopi.script.sandbox import Sandbox

PAGE = json.dumps(
    {
        "name": "page",
        "heads": [[["item", "line", 1, None], ["fact", "fact", 1, None]]],
        "numbers": None,
        "rows": [["a", "1"], ["b", None]],
    }
)
INDEXES = "[[1, 1], [2, 1]]"


@pytest.mark.parametrize(
    "body",
    [
        "for (const item of data.items) { const fact = item.getAxis('fact'); fact.value += '!'; }",
        "const seen = [1, [2]]; seen.push(3); let sum = 0; sum += seen[0]; sum++; // it's a comment",
        "data.items = data.items.filter((item) => /^[a-z/']+$/.test(item.axes[0].value)); /* \" */",
        "if (Math.max(1, parseInt('2', 10)) / 2 > 1 && Number.isNaN(Number('x'))) { return data; }",
        "const half = (x) => { return x / 2 / Math.PI; }; String(half(2)); switch (1) { case 1: break; }",
    ],
)
def test_scripts_as_people_write_them_are_harmless(body: str) -> None:
    text = f"function f(data) {{ {body}\n return data; }}"
    assert is_harmless(text)
    assert is_as_loaded(text)


@pytest.mark.parametrize(
    "body",
    [
        "Array.prototype.value = 1",
        "Math.value = 1",
        "String.value = 1",
        "String.length++",
        "parseInt.value = 1",
        "[].constructor.value = 1",
        "[]['constructor'].value = 1",
        "const key = 'constructor'; [][key].value = 1",
        "const {constructor} = []; constructor.value = 1",
        "for (const {trim} of ['']) { trim.value = 1; }",
        "(({trim}) => { trim.value = 1; })('')",
        "const trim = ''.trim; trim.value = 1",
        "[1].forEach([].push, Math)",
        "this.Math = null",
        "(function () { return this; })().Math = null",
        "globalThis.Math = null",
        "parseInt = null",
        "[parseInt] = [null]",
        "eval('Math.value = 1')",
        "new Function('Math.value = 1')()",
        "if (1) /'/.test(''); Math.value = 1; //'",
        "1 <!-- /*\n; Math.value = 1; /* */",
        "/* */ 1;\n--> '\nMath.value = 1; //'",
        "// \u2028 Math.value = 1",
        "// \r Math.value = 1",
        "M\\u0061th.value = 1",
        "`${Math.value = 1}`",
        "[].__proto__.value = 1",
        "const all = arguments; all.callee.value = 1",
        "const list = [...[1]]",
    ],
)
def test_what_may_change_something_shared_is_not_harmless(body: str) -> None:
    assert not is_harmless(f"function f(data) {{ {body} }}")


def test_a_comment_that_another_source_ends_is_not_harmless() -> None:
    assert not is_harmless("const a = 1 /* Math.max")
    assert not is_harmless("*/ 1")


def test_no_global_of_the_engine_becomes_a_value() -> None:
    names = str(Sandbox(ScriptLimits()).evaluate("Object.getOwnPropertyNames(globalThis).join(' ')")).split()
    assert len(names) > 50
    constants = {"NaN", "Infinity", "undefined"}
    assert [name for name in names if name not in constants and is_harmless(f"const x = {name};")] == []


PIECES = """
    Math String data x value items trim constructor length max push forEach ( ) [ ] { } . , ; = => + / : '
    "" ++ of const let function for if return 0 1 [0] .value .items .length .push(1) .trim() Math.max(1) = ''
    x=1 (x)=>{ typeof ?. ! 'constructor' /a/ String('x')
"""


@given(st.lists(st.sampled_from(PIECES.split()), max_size=12))
def test_what_is_harmless_leaves_everything_as_loaded(pieces: list[str]) -> None:
    text = f"function f(data) {{ let x = data; {' '.join(pieces)}\n return data; }}"
    assert not is_harmless(text) or is_as_loaded(text)


def is_as_loaded(text: str) -> bool:
    """Whether the engine finds everything as it was after a page; true of a script that fails, too."""
    try:
        sandbox = EntryScript([text], "f").load(Sandbox(ScriptLimits(timeout_ms=300), DATA_HOSTS))
        sandbox.call("run", PAGE, INDEXES)
    except ScriptError:
        return True
    return sandbox.call("isAsLoaded") == "true"
