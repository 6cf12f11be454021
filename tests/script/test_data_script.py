"""DataScript: JavaScript over the rows of a page."""

from __future__ import annotations

import threading

import pytest

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.model.data import Axis, Data, Item
from scoopi.script.data_script import DataScript

DAY = Axis("item", "day", 1, "\\w+")
CITY = Axis("dim", "city", 2)
FACT = Axis("fact", "fact", 1)
AXES = (DAY, CITY, FACT)
DATA = Data(
    "weather",
    (
        Item(AXES, ("Mon", "Oslo", "-2"), (1, 1, 1)),
        Item(AXES, ("Tue", "Oslo", None), (2, 1, 1)),
        Item((DAY, FACT), ("Wed", "é \" \u2028"), (3, 1)),
    ),
)  # fmt: skip


def run(body: str, data: Data = DATA) -> Data:
    return DataScript([f"function execute(data) {{ {body} }}"], "execute", ScriptLimits(timeout_ms=300))(data)


def values(data: Data) -> list[tuple[str | None, ...]]:
    return [item.values for item in data.items]


def error_of(expression: str) -> str | None:
    """What an expression over `data` gives, carried out by the first value."""
    return (
        run(f"data.getItems().get(0).getFirstAxis().setValue({expression}); return data").items[0].values[0]
    )


def test_data_returned_as_it_came_is_the_same() -> None:
    assert run("return data") == DATA


def test_set_values_are_carried_back_and_others_stay() -> None:
    changed = run(
        "for (const item of data.getItems()) {"
        "  const axis = item.getAxisByItemName('fact'); axis.setValue(axis.getValue() + '!'); } return data;"
    )
    assert values(changed) == [("Mon", "Oslo", "-2!"), ("Tue", "Oslo", "null!"), ("Wed", 'é " \u2028!')]
    assert [item.axes for item in changed.items] == [item.axes for item in DATA.items]
    assert [item.indexes for item in changed.items] == [item.indexes for item in DATA.items]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("data.getName() + data.name + data.getDataDef() + data.dataDef", "weather" * 4),
        ("data.getItems().size() + '' + data.items.length", "33"),
        ("data.items.isEmpty()", "false"),
        ("data.getItems().get(1).getAxes().size()", "3"),
        ("data.items[2].axes.map(axis => axis.itemName).join()", "day,fact"),
        ("data.items.get(0).getAxis('dim').getItemName()", "city"),
        ("data.items.get(2).getAxis('dim')", None),
        ("data.items.get(0).getAxisByItemName('nope')", None),
        ("data.items.get(0).firstAxis.getAxisName()", "item"),
        ("data.items.get(0).getFirstAxis('fact').value", "-2"),
        ("data.items.get(1).axes.get(2).getValue()", None),
        ("[...data.items.get(1).axes].map(axis => axis.getIndex()).join()", "2,1,1"),
        ("data.items.get(0).axes.get(1).getOrder() + data.items.get(0).axes.get(1).order", "4"),
        ("data.items.get(0).axes.get(0).getMatch()", "\\w+"),
        ("data.items.get(0).axes.get(1).match", None),
        ("data.items.get(0).axes.get(0).axisName + data.items.get(1).axes.get(0).index", "item2"),
        ("1/4", "0.25"),
        ("undefined", None),
    ],
)
def test_host_objects_answer_in_both_spellings(expression: str, text: str | None) -> None:
    assert error_of(expression) == text


def test_a_value_can_be_set_as_a_property() -> None:
    assert run("data.items[0].axes[0].value = 7; return data").items[0].values == ("7", "Oslo", "-2")


def test_rows_can_be_dropped_and_reordered() -> None:
    assert values(run("data.getItems().remove(1); data.items.reverse(); return data")) == [
        DATA.items[2].values,
        DATA.items[0].values,
    ]
    assert values(run("return data.items.filter(item => item.firstAxis.value === 'Tue')")) == [
        DATA.items[1].values
    ]
    assert values(run("data.setItems([data.items[2]]); return data")) == [DATA.items[2].values]
    assert values(run("data.items.clear(); return data")) == []


@pytest.mark.parametrize("body", ["", "return null", "return undefined"])
def test_returning_nothing_is_an_error(body: str) -> None:
    with pytest.raises(ScriptError, match="nothing was returned; return the data"):
        run(body)


@pytest.mark.parametrize(
    "body", ["return 1", "return 'data'", "return {}", "return [1]", "return [{}]", "return [null]"]
)
def test_returning_something_unknown_is_an_error(body: str) -> None:
    with pytest.raises(ScriptError, match="returned"):
        run(body)


def test_an_index_beyond_a_list_is_an_error() -> None:
    with pytest.raises(ScriptError, match="no element 3: there are 3"):
        run("data.items.get(3); return data")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("while (true) {}", "longer than 300 ms"),
        ("const all = []; while (true) all.push(new Array(999).fill(0))", "32 MB"),
        ("return execute(data)", "too deeply"),
        ("return nope", "nope is not defined"),
    ],
)
def test_limits_and_errors_end_the_call_and_the_next_page_works(body: str, words: str) -> None:
    script = DataScript(
        [f"function execute(data) {{ if (data.items.size() > 1) {{ {body} }} return data; }}"],
        "execute",
        ScriptLimits(timeout_ms=300 if "longer" in words else 20_000),
    )
    one = DATA.with_items(DATA.items[:1])
    for _ in range(2):
        with pytest.raises(ScriptError, match=words):
            script(DATA)
        assert script(one) == one


def test_what_earlier_pages_left_behind_fails_no_page() -> None:
    hoarder = (
        "const kept = []; const execute = data => { kept.push('x'.repeat(3e6) + kept.length); return data }"
    )
    script = DataScript([hoarder], "execute", ScriptLimits(timeout_ms=2000, memory_mb=8))
    assert [script(DATA) for _ in range(10)] == [DATA] * 10


def test_sources_load_in_order_and_share_their_names() -> None:
    sources = [
        "const suffix = '?';",
        "let mark = (axis) => axis.setValue(axis.value + suffix);",
        "const fix = (data) => { data.items.forEach(item => mark(item.firstAxis)); return data; }",
    ]
    assert [row[0] for row in values(DataScript(sources, "fix", ScriptLimits())(DATA))] == [
        "Mon?",
        "Tue?",
        "Wed?",
    ]


def test_the_engine_is_kept_from_page_to_page() -> None:
    script = DataScript(
        ["var calls = 0; function execute(data) { data.items[0].axes[0].value = ++calls; return data }"],
        "execute",
        ScriptLimits(),
    )
    assert [script(DATA).items[0].values[0] for _ in range(3)] == ["1", "2", "3"]


def test_each_thread_has_an_engine_of_its_own() -> None:
    script = DataScript(
        ["var calls = 0; function execute(data) { data.items[0].axes[0].value = ++calls; return data }"],
        "execute",
        ScriptLimits(),
    )
    seen: list[str | None] = []
    script(DATA)
    thread = threading.Thread(target=lambda: seen.append(script(DATA).items[0].values[0]))
    thread.start()
    thread.join(60)
    assert seen == ["1"]


def test_a_missing_entry_point_is_named() -> None:
    with pytest.raises(ScriptError, match="no function execute"):
        DataScript(["function other(data) {}"], "execute", ScriptLimits())(DATA)


def test_an_error_names_the_line_of_the_function() -> None:
    source = "function helper() { nope }\nconst execute = data => {\n  helper();\n  return data }"
    with pytest.raises(
        ScriptError, match=r"nope is not defined \(in execute, line 3, column 3 of its script\)"
    ):
        DataScript([source], "execute", ScriptLimits())(DATA)


def test_a_source_that_fails_while_loading_is_an_error() -> None:
    with pytest.raises(ScriptError, match=r"SyntaxError.*line 2"):
        DataScript(["\n a b"], "execute", ScriptLimits())(DATA)


def test_a_page_of_many_rows_goes_through() -> None:
    many = Data("many", tuple(Item(AXES, ("a", "b", str(row)), (1, 1, row)) for row in range(70_000)))
    limits = ScriptLimits(timeout_ms=20_000, memory_mb=256)
    script = DataScript(
        ["execute = data => { data.setItems(data.items.slice(-2)); return data }"], "execute", limits
    )
    assert script(many).items == many.items[-2:]
