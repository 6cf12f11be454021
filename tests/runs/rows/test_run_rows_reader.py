"""RunRowsReader: which output is read, and what is said of runs that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import UsageError
from scoopi.model.records import RecordSchema
from scoopi.outputs.output_spec import OutputSpec
from scoopi.runs.rows.run_rows_reader import RunRowsReader, chosen
from scoopi.runs.run_request import RunRequest

CARDS = OutputSpec("cards.csv", "cards-r1.csv", schema=RecordSchema("card", ()), streams=("records:a.cards",))
TABLE = OutputSpec("sqlite:a.db#cards", "a.db", schema=RecordSchema("card", ()), streams=("records:a.cards",))
TOWNS = OutputSpec("towns.csv", "towns.csv", schema=RecordSchema("town", ()), streams=("records:a.towns",))
BAD = OutputSpec("cards.bad", "cards.bad", streams=("rejected:a.cards",), optional=True)


def test_the_only_rows_of_a_run_need_no_name_whatever_the_number_of_their_outputs() -> None:
    assert chosen((CARDS,), None) is CARDS
    assert chosen((BAD, CARDS, TABLE), None) is CARDS


def test_rows_of_several_outputs_need_a_name() -> None:
    with pytest.raises(UsageError, match=r"several outputs; name one with --output: cards\.csv, towns\.csv"):
        chosen((CARDS, TOWNS), None)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("towns.csv", TOWNS),
        ("cards-r1.csv", CARDS),
        ("cards-r1.csv.held", CARDS),
        ("card", CARDS),
        ("cards.bad", BAD),
    ],
)
def test_an_output_is_named_as_in_the_definitions_by_its_file_or_by_its_records(
    name: str, found: OutputSpec
) -> None:
    assert chosen((CARDS, TABLE, TOWNS, BAD), name) is found


@pytest.mark.parametrize(
    ("name", "hint"), [("town.csv", "did you mean towns.csv?"), ("x", "the run has cards.csv, towns.csv")]
)
def test_an_output_that_there_is_not_is_an_error_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        chosen((CARDS, TOWNS), name)
    assert str(raised.value) == f"there is no output {name}; {hint}"


def test_a_folder_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        RunRowsReader(tmp_path, None, RunRequest())
    assert str(tmp_path) in str(raised.value)
