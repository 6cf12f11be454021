"""`scoopi launch`: a job by hand, with inputs of its own."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.cli.schedule_verbs.conftest import Shop


def test_inputs_and_outputs_come_from_files_too(shop: Shop) -> None:
    Path("in.json").write_text('{"paper": "a3", "copies": 2, "to": null}')
    shop.printed("launch", "press", "--inputs", "in.json", "-i", "paper=a5")
    shop.printed("tick")
    shop.printed("worker", "put", "p1")
    (claimed,) = shop.rows("attempt", "claim", "--worker", "p1")
    assert claimed["inputs"] == {"paper": "a5", "copies": "2", "to": "null"}
    Path("out.json").write_text('{"pages": [1, 2]}')
    end = ("attempt", "end", "press/!1/1", "--status", "succeeded", "--outputs", "out.json")
    shop.printed(*end, "--output", "rows=3")
    assert shop.rows("attempt", "show", "press/!1/1")[0]["outputs"] == {"pages": "[1, 2]", "rows": "3"}


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("{paper: a3, copies: 007}", 0, {"paper": "a3", "copies": "007"}),
        ('{"paper": "a3", "copies": 7}', 0, {"paper": "a3", "copies": "7"}),
        ('{"paper": "a3",', 2, "standard input: Expecting property name enclosed in double quotes"),
        ("- a", 2, "standard input holds a list, not names with values"),
    ],
)
def test_inputs_are_read_from_standard_input(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, text: str, code: int, expected: dict[str, str] | str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    shop.printed("launch", "press", "--inputs", "-", code=code)
    if isinstance(expected, str):
        assert expected in shop.err.getvalue()
        return
    shop.printed("tick")
    shop.printed("worker", "put", "p1")
    (claimed,) = shop.rows("attempt", "claim", "--worker", "p1")
    assert claimed["inputs"] == expected


def test_an_input_that_is_not_utf_8_is_an_error_of_usage(shop: Shop) -> None:
    assert shop.run("launch", "press", "-i", "paper=\udcff") == 2
    assert "a value cannot be stored" in shop.err.getvalue()


def test_a_misspelt_input_is_named_and_one_that_resembles_none_is_not(shop: Shop) -> None:
    shop.printed("launch", "press", "-i", "papr=a3", "-i", "colour=red")
    assert "warning: shop.press has no input papr; did you mean paper?" in shop.err.getvalue()
    assert "colour" not in shop.err.getvalue()


def test_a_launch_gives_no_secret_since_its_inputs_are_stored(shop: Shop) -> None:
    Path("jobs/more.yml").write_text(
        'processes: {mail: {executes: external:mail, inputs: {token: "${ env:TOKEN }"}}}\n'
    )
    shop.printed("deploy", "jobs")
    shop.printed("launch", "mail", "-i", "token=s3cret", code=2)
    assert "input token of mail is a secret" in shop.err.getvalue()
    assert "set the variable TOKEN in the environment of scoopi serve" in shop.err.getvalue()
    assert "s3cret" not in shop.err.getvalue()
    assert shop.rows("job", "list", "--process", "mail") == []
    shop.printed("launch", "mail")
