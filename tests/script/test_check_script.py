"""check_script: syntax errors are found, and nothing is run."""

from __future__ import annotations

import pytest

from scoopi.script.check_script import check_script


@pytest.mark.parametrize(
    "script",
    [
        "document.getFromDate()",
        "1+1",
        "throw new Error()",
        "while (true) {}",
        "nope.nope()",
        "{a: 1}",
        "",
        "// note",
        "function f() { return 1 } f()",
        "let a = 1; a",
    ],
)
def test_right_syntax_has_no_findings_whatever_running_it_would_do(script: str) -> None:
    assert check_script(script) is None


@pytest.mark.parametrize(
    ("script", "finding"),
    [
        ("a b", "expecting ';' (line 1, column 3 of the script)"),
        ("var x =\n\n  ) ", "unexpected token in expression: ')' (line 3, column 3 of the script)"),
        ("return 1", "return not in a function (line 1, column 1 of the script)"),
        ("}, function () {", "(line 1, column 1 of the script)"),
        ("/(/", "expecting ')'"),
        ("let a; let a", "invalid redefinition of lexical identifier"),
    ],
)
def test_wrong_syntax_is_said_with_its_place(script: str, finding: str) -> None:
    what, hint = check_script(script) or ("", "")
    assert finding in what
    assert hint == "correct it there: it must be JavaScript as browsers read it"


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("1;\n'a\0b'", "there is a NUL character (line 2 of the script)"),
        ("'\ud800'", "there is half a character"),
    ],
    ids=["NUL", "half a character"],
)
def test_what_the_engine_cannot_take_is_a_finding(script: str, what: str) -> None:
    fault = check_script(script)
    assert fault is not None
    assert fault[0].startswith(what)
