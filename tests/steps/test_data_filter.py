"""DataFilter drops the rows that match a filter, and no others."""

from __future__ import annotations

import pytest

from scoopi.errors import ParseError, StepError
from scoopi.java.regex.java_regex import JavaPattern, compile_java
from scoopi.model.data import Axis, Data, Item, LinkData
from scoopi.model.data_def import DataDef, FilterDef, ItemDef
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Locator
from scoopi.model.place import Place
from scoopi.steps.data_filter import DataFilter

AXES = (Axis("item", "club", 1, match=r"FC\d"), Axis("dim", "stat", 2), Axis("fact", "fact", 3))


def definition(item: str = "club", *filters: FilterDef) -> DataDef:
    def made(name: str) -> ItemDef:
        return ItemDef(name, filters=filters if name == item else ())

    return DataDef("league", "table", None, (made("club"),), (made("stat"),), (made("fact"),))


def rows(*values: str | None) -> Data:
    return Data("league", tuple(Item(AXES, (value, "x", "1"), (n, 1, 1)) for n, value in enumerate(values)))


def run(data_def: DataDef, data: object, timeout_ms: int = 1000) -> Data:
    step = DataFilter(data_def, timeout_ms=timeout_ms)
    handover = step.run(Payload("7", Locator("l", "g", "u"), 1, "t", data))
    assert isinstance(handover, ToTask)
    return handover.payload.expect(Data)


def values_left(pattern: str, *values: str | None, kind: str = "value") -> list[str | None]:
    data = run(definition("club", FilterDef(kind, pattern)), rows(*values))
    return [item.values[0] for item in data.items]


def test_a_value_that_equals_the_pattern_drops_its_row() -> None:
    assert values_left("a", "a", "b", "ab") == ["b", "ab"]


def test_the_whole_value_must_match_as_a_regular_expression() -> None:
    assert values_left(r"T\w+", "Total", "Sub Total", "Total 2") == ["Sub Total", "Total 2"]
    assert values_left(r"(?i)total.*", "TOTAL assets", "assets") == ["assets"]


def test_a_pattern_that_equals_need_not_be_a_regular_expression() -> None:
    assert values_left("(", "(", "(") == []
    with pytest.raises(ParseError, match="filter: "):
        values_left("(", "(", "b")


def test_one_blank_drops_blank_values_and_null() -> None:
    assert values_left(" ", "", " \t", None, "\u00a0", "a") == ["\u00a0", "a"]


def test_null_matches_the_blank_only() -> None:
    assert values_left(".*", None, "a") == [None]
    assert values_left("null", None) == [None]
    assert values_left("", None) == [None]


def test_an_empty_pattern_drops_empty_values_only() -> None:
    assert values_left("", "", " ", "a") == [" ", "a"]


def test_a_filter_of_type_match_looks_at_the_match_of_the_definition() -> None:
    assert values_left(r"FC\d", "a", "b", kind="match") == []
    assert values_left("FC7", "FC7", kind="match") == ["FC7"]


def test_any_other_type_looks_at_the_value() -> None:
    assert values_left("a", "a", kind="nonsense") == []


@pytest.mark.parametrize("item", ["stat", "fact"])
def test_filters_act_on_dims_and_facts_too(item: str) -> None:
    assert run(definition(item, FilterDef("value", "x|1")), rows("a", "b")).items == ()


def test_one_filter_of_several_is_enough() -> None:
    filters = (FilterDef("value", "a"), FilterDef("value", "b"))
    assert [item.values[0] for item in run(definition("club", *filters), rows("a", "b", "c")).items] == ["c"]


def test_rows_of_different_templates_are_tested_at_their_own_positions() -> None:
    other = (Axis("item", "other", 1), *AXES[1:])
    data = rows("a").with_items([Item(other, ("a", "x", "1"), (1, 1, 1)), *rows("a").items])
    assert [item.axes for item in run(definition("club", FilterDef("value", "a")), data).items] == [other]


def test_nothing_to_drop_hands_on_the_same_data() -> None:
    data = rows("a", "b")
    assert run(definition(), data) is data
    assert run(definition("club", FilterDef("value", "c")), data) is data


def test_data_of_links_stays_data_of_links() -> None:
    data = LinkData("league", rows("a", "b").items, "http://h/p", "/base/")
    kept = run(definition("club", FilterDef("value", "a")), data)
    assert kept == LinkData("league", data.items[1:], "http://h/p", "/base/")


def test_a_catastrophic_pattern_fails_the_task_at_the_time_limit() -> None:
    place = Place("league.yml", 7, 3)
    slow = definition("club", FilterDef("value", "(a|aa)+", place))
    with pytest.raises(ParseError, match="longer than 50 ms") as caught:
        run(slow, rows("a" * 60 + "b"), timeout_ms=50)
    assert caught.value.at == "league.yml:7:3"


def test_another_input_than_data_is_refused() -> None:
    with pytest.raises(StepError, match="expects Data"):
        run(definition(), "a page")


@pytest.mark.parametrize(
    "pattern", ["", "-", " ", "Total, net", "a'b/c", "é_1", "a.c", "a|", "[ab]", "x{2}", "^a$"]
)
def test_a_pattern_that_is_plain_text_drops_what_the_expression_would_drop(pattern: str) -> None:
    subjects = ["", "-", "Total, net", "a'b/c", "é_1", "E_1", "abc", "a", "b", "xx", "^a$", "a\n", "--"]
    matches = compile_java(pattern, timeout_ms=1000).fullmatch
    wanted = [each for each in subjects if not matches(each) and each != pattern]
    assert values_left(pattern, *subjects) == [each for each in wanted if each or pattern != " "]


def test_a_filter_is_applied_once_to_each_value_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    tested: list[str] = []
    fullmatch = JavaPattern.fullmatch

    def counted(pattern: JavaPattern, text: str) -> bool:
        tested.append(text)
        return fullmatch(pattern, text)

    monkeypatch.setattr(JavaPattern, "fullmatch", counted)
    assert values_left("a|x", "a", "b", "a", None, "b", None) == ["b", None, "b", None]
    assert tested == ["a", "b"]


def test_a_value_is_tested_once_however_many_pages_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tested: list[str] = []
    fullmatch = JavaPattern.fullmatch

    def noted(pattern: JavaPattern, text: str) -> bool:
        tested.append(text)
        return fullmatch(pattern, text)

    monkeypatch.setattr(JavaPattern, "fullmatch", noted)
    step = DataFilter(definition("club", FilterDef("value", "a+")), timeout_ms=1000)
    for values in (("aa", "b", "aa"), ("b", "aa", "c")):
        handover = step.run(Payload("7", Locator("l", "g", "u"), 1, "t", rows(*values)))
        assert isinstance(handover, ToTask)
        kept = handover.payload.expect(Data).items
        assert [item.values[0] for item in kept] == [value for value in values if value != "aa"]
    assert tested == ["aa", "b", "c"]


def test_verdicts_do_not_pile_up() -> None:
    step = DataFilter(definition("club", FilterDef("value", "[12]?5")), timeout_ms=1000)
    for page in range(3):
        data = rows(*(str(page * 5000 + number) for number in range(5000)), "x" * 600, "5")
        handover = step.run(Payload("7", Locator("l", "g", "u"), 1, "t", data))
        assert isinstance(handover, ToTask)
        assert len(handover.payload.expect(Data).items) == (4998 if page == 0 else 5001)
