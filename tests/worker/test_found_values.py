"""FoundValues: an axis counts as met once it has a value in any row of any page."""

from __future__ import annotations

from scoopi.model.data import Axis, Data, Item
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.records import Records
from scoopi.model.report.counter_names import (
    BLOCK,
    ENTRY_TIMES,
    EXAMPLE,
    FIELD,
    LOADS,
    MET,
    PAGES,
    ROWS,
    SEPARATOR,
    TIMED,
    TIMES,
    count_name,
)
from scoopi.worker.found_values import MOST_EXAMPLES, FoundValues

PRICES = DataDef(
    "prices",
    block="table",
    selector="td",
    items=(ItemDef("loaf", selector="td"),),
    dims=(ItemDef("size", selector="th"), ItemDef("currency", value="EUR")),
    facts=(ItemDef("fact"),),
)
HEADS = tuple(Axis(kind, name, 1) for kind, name in (("item", "loaf"), ("dim", "size"), ("fact", "fact")))


def found() -> FoundValues:
    return FoundValues({"prices": PRICES}, frozenset({"-", "not found"}))


def rows(*values: tuple[str | None, str | None, str]) -> Data:
    return Data("prices", tuple(Item(HEADS, each, (1, 1, 1)) for each in values))


def met(counts: dict[str, float]) -> set[str]:
    """The kinds of the axes that the counts say were met."""
    axes = {kind: (kind, name) for kind, name in (("item", "loaf"), ("dim", "size"), ("fact", "fact"))}
    return {kind for kind, axis in axes.items() if count_name(MET, "prices", axis) in counts}


def test_an_axis_with_a_value_in_any_row_is_met() -> None:
    counter = found()
    counter.note(rows((None, "small", "not found"), ("rye", None, "-")))
    assert met(counter.take()) == {"item", "dim"}


def test_null_blank_and_what_stands_for_nothing_are_no_values() -> None:
    counter = found()
    counter.note(rows((None, " ", "not found"), ("", "\n", "-")))
    assert met(counter.take()) == set()


def test_a_dash_that_is_no_fact_is_a_value() -> None:
    counter = found()
    counter.note(rows((None, "-", "not found")))
    assert met(counter.take()) == {"dim"}


def test_pages_and_rows_are_counted_and_reported_once() -> None:
    counter = found()
    counter.note(rows(("rye", "small", "2.40"), ("rye", "large", "4.20")))
    counter.note(rows())
    counts = counter.take()
    assert counts[count_name(PAGES, "prices")] == 2
    assert counts[count_name(ROWS, "prices")] == 2
    assert met(counts) == {"item", "dim", "fact"}
    assert counter.take() == {}
    counter.note(rows(("rye", "small", "2.40")))
    assert met(counter.take()) == set(), "what was reported is not reported again"


def test_data_of_an_unknown_definition_is_left_aside() -> None:
    counter = found()
    counter.note(Data("others", rows(("a", "b", "c")).items))
    assert counter.take() == {}


def test_counts_of_records_add_up_until_they_are_taken() -> None:
    counter = found()
    records = Records("books", (), finds={"a": 2.0, "b": 1.0})
    counter.note(records)
    counter.note(records)
    assert counter.take() == {"a": 4.0, "b": 2.0}
    assert counter.take() == {}


def test_the_counts_of_reads_alone_are_not_added_to_the_others() -> None:
    counter = found()
    counter.note(Records("books", (), finds={"a": 1.0}))
    reads = (Records("books", (), finds={"a": 2.0}), rows(("rye", "small", "2.40")))
    alone = counter.counts_of(reads)
    assert (alone["a"], alone[count_name(ROWS, "prices")], met(alone)) == (2.0, 1, {"item", "dim", "fact"})
    assert counter.take() == {"a": 1.0}


def test_times_of_entries_add_up_with_the_number_of_pages_that_were_timed() -> None:
    counter = found()
    counter.note_entry_times("prices", {("item", "loaf"): 0.5, BLOCK: 0.25})
    counter.note_entry_times("prices", {("item", "loaf"): 0.25})
    assert counter.take() == {
        count_name(ENTRY_TIMES, "prices", ("item", "loaf")): 0.75,
        count_name(ENTRY_TIMES, "prices", BLOCK): 0.25,
        count_name(TIMED, "prices"): 2,
    }


def test_loads_and_times_of_a_group_add_up_until_they_are_taken() -> None:
    counter = found()
    for loader in ("browser", "plain", "browser"):
        counter.note_load("towns", loader)
    counter.note_time("towns", "prices", 0.5)
    counter.note_time("towns", "prices", 0.25)
    assert counter.take() == {
        count_name(LOADS, "towns", ("browser", "")): 2,
        count_name(LOADS, "towns", ("plain", "")): 1,
        count_name(TIMES, "towns", ("prices", "")): 0.75,
    }
    assert counter.take() == {}


def test_few_examples_of_a_field_are_kept_however_many_values_there_are() -> None:
    counter = found()
    kept: set[str] = set()
    for number in range(MOST_EXAMPLES * 5):
        for field in ("price", "size"):
            name = f"{count_name(EXAMPLE, 'card', (FIELD, field))}{SEPARATOR}{number}{SEPARATOR}x"
            counter.note(Records("card", (), finds={name: 1}))
        kept |= {*counter.take()}
    assert len(kept) == 2 * MOST_EXAMPLES
    assert {each.split(SEPARATOR)[3] for each in kept} == {"price", "size"}


def test_an_example_that_is_not_kept_hides_no_other_count_of_its_page() -> None:
    def example(number: int) -> str:
        return f"{count_name(EXAMPLE, 'card', (FIELD, 'price'))}{SEPARATOR}{number}{SEPARATOR}x"

    counter = found()
    counter.note(Records("card", (), finds={example(number): 1.0 for number in range(MOST_EXAMPLES)}))
    counter.note(Records("card", (), finds={example(MOST_EXAMPLES): 1.0, "later": 1.0, example(0): 1.0}))
    counts = counter.take()
    assert len(counts) == MOST_EXAMPLES + 1
    assert (counts["later"], counts[example(0)], counts[example(1)]) == (1.0, 2.0, 1.0)


def test_a_page_without_a_row_counts_as_a_page() -> None:
    counter = found()
    counter.note(rows())
    assert counter.take() == {count_name(PAGES, "prices"): 1, count_name(ROWS, "prices"): 0}


def test_an_axis_is_met_once_in_each_worker_however_many_of_its_rows_have_a_value() -> None:
    counter = found()
    counter.note(rows(("rye", None, "-"), ("oat", None, "-")))
    assert counter.take()[count_name(MET, "prices", ("item", "loaf"))] == 1
