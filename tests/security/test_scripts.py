"""Hostile scripts end as a ScriptError in time, reach nothing, and leave nothing behind."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Document, Locator
from scoopi.script.data_script import DataScript
from scoopi.script.page_scripts import ConfigsView, PageScripts
from scoopi.script.sandbox import Sandbox
from tests.security.hostile_scripts import CHANGED, DEEP, ENDLESS, ESCAPES, MEMORY

LIMITS = ScriptLimits(timeout_ms=200, memory_mb=32)
AXES = (Axis("item", "i", 1), Axis("fact", "fact", 1))
DATA = Data("d", (Item(AXES, ("a", "1"), (1, 1)), Item(AXES, ("b", "2"), (2, 1))))
Refused = Callable[[str], None]


def page_scripts() -> PageScripts:
    date = datetime(2020, 2, 29, tzinfo=UTC)
    document = Document(Locator("n", "g", "u"), "u", date, None, b"")
    return PageScripts(lambda hosts: Sandbox(LIMITS, hosts), document, ConfigsView({}, date, str))


def seconds_of_processor(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


@pytest.mark.parametrize("script", ENDLESS)
def test_an_endless_script_ends(script: str, refused: Refused) -> None:
    def run() -> None:
        with pytest.raises(ScriptError, match=r"longer than 200 ms|[lt]oo long|too deeply|MB of memory"):
            page_scripts()(script)

    assert seconds_of_processor(run) < 5
    refused(script)


@pytest.mark.parametrize("script", CHANGED)
def test_a_length_that_changes_hangs_nothing(script: str, refused: Refused) -> None:
    def run() -> None:
        with contextlib.suppress(ScriptError):
            page_scripts()(script)

    assert seconds_of_processor(run) < 5
    refused(script)


@pytest.mark.parametrize("script", MEMORY)
def test_a_memory_bomb_ends(script: str, refused: Refused) -> None:
    def run() -> None:
        with pytest.raises(ScriptError, match=r"MB of memory|too long|too large|invalid|maximum|longer than"):
            page_scripts()(script)

    assert seconds_of_processor(run) < 5
    refused(script)


@pytest.mark.parametrize("script", DEEP)
def test_deep_recursion_ends(script: str, refused: Refused) -> None:
    with pytest.raises(ScriptError):
        page_scripts()(script)
    refused(script)


@pytest.mark.parametrize("script", ESCAPES)
def test_there_is_no_way_out_of_the_sandbox(script: str, refused: Refused) -> None:
    assert page_scripts()(script) == "undefined"
    refused(script)


@pytest.mark.parametrize(
    "script",
    [
        "new Date(8.64e15)",
        "new Date(-8.64e15)",
        "new Date(-62135596800001)",
        "document.fromDate.plusYears(9000)",
        "document.fromDate.plusDays(1e300)",
        "Date.prototype.toISOString = () => 'soon'; new Date(8.64e15)",
        "throw { toString: null }",
        "throw Symbol('a')",
        "throw Object.create(null)",
        "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
        "({ toJSON() { return () => 1 } })",
        "Symbol.iterator",
        "'HALF'",
    ],
)
def test_whatever_goes_wrong_in_a_script_is_a_script_error(script: str, refused: Refused) -> None:
    with pytest.raises(ScriptError):
        page_scripts()(script.replace("HALF", "\ud800"))  # half a character
    refused(script)


@pytest.mark.parametrize(
    "change",
    [
        "String.prototype.toWellFormed = () => 5",
        "String.prototype.includes = () => { throw 1 }",
        "JSON.stringify = () => ({})",
        "Array.prototype[Symbol.iterator] = null",
        "Reflect.apply = null",
        "Object.prototype.toJSON = () => ({ wall: 'x' })",
        "Object.prototype.wall = '2020'",
        "Function.prototype.call = Function.prototype.apply = null",
        "Date.prototype.toISOString = () => ({})",
        "Object.defineProperty(Object.prototype, '0', { set() { throw 1 } })",
    ],
)
def test_replaced_functions_of_the_engine_break_no_result(change: str, refused: Refused) -> None:
    scripts = page_scripts()
    assert scripts(f"{change}; 'a\\0b\\ud800'") == "a\ufffdb\ufffd"
    assert scripts("new Date(0)") == "1970-01-01 00:00:00+00:00"
    assert scripts("1 + 1") == "2"
    refused(change)


@pytest.mark.parametrize(
    "change",
    [
        "Date = String = Math = Reflect = Object = RegExp = eval = null",
        "Object.getOwnPropertyNames = Object.freeze = Object.defineProperty = () => []",
        "RegExp.prototype.exec = () => null",
        "String.prototype.toLowerCase = String.prototype.slice = () => 'x'",
        "Array.prototype[Symbol.iterator] = null",
        "Object.prototype.value = 1",
        "Object.prototype.getYear = () => 1",
    ],
)
def test_a_date_that_is_made_after_functions_were_replaced_is_right(change: str, refused: Refused) -> None:
    scripts = page_scripts()
    assert scripts(f"{change}; document.fromDate.year + '-' + configs.runDate.getMonth()") == "2020-FEBRUARY"
    refused(f"{change}, before a date is made")


@pytest.mark.parametrize(
    "change",
    [
        "String.prototype.trim = () => 'evil'",
        "Array.prototype.last = function () { return 1 }",
        "Object.prototype.evil = 1",
        "Object.defineProperty(Array.prototype, 'evil', { value: 1 })",
        "Object.setPrototypeOf(Array.prototype, { evil: 1 })",
        "JSON.parse = () => 1",
        "Math.random = () => 4",
        "parseInt = () => 7",
        "delete String.prototype.trim",
        "Object.defineProperty(RegExp.prototype, 'flags', { get: () => 'g' })",
        "Object.getPrototypeOf([].values()).next = () => ({ done: true })",
        "Object.getPrototypeOf(async () => {}).evil = 1",
        "data.constructor.prototype.getItems = () => []",
        "data.items[0].constructor.prototype.evil = 1",
    ],
)
def test_what_one_page_changes_of_the_engine_no_other_page_finds(change: str, refused: Refused) -> None:
    probe = """
        function state() {
            const all = [' x '.trim, [].last, ({}).evil, [].evil, JSON.parse, Math.random, parseInt,
                         Object.getPrototypeOf(Array.prototype), [...[1]].length,
                         Object.getOwnPropertyDescriptor(RegExp.prototype, 'flags').get,
                         Object.getPrototypeOf(async () => {}).evil];
            return all.map((value) => value === Object.prototype ? 'object' : String(value)).join();
        }
        function execute(data) {
            const found = state() + data.items.length + data.items[0].evil;
            data.items[0].axes[1].value = found;
            if (data.items[0].axes[0].value === 'a') { CHANGE }
            return data;
        }""".replace("CHANGE", change)
    fresh = DataScript([probe], "execute", LIMITS)
    other = DATA.with_items(DATA.items[1:] * 2)
    wanted = fresh(other)
    script = DataScript([probe], "execute", LIMITS)
    with contextlib.suppress(ScriptError):  # the page that makes the change may fail of it
        script(DATA)
    assert script(other) == wanted
    refused(change)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("throw { toString() { while (true) {} } }", "longer than 200 ms"),
        ("return { get length() { while (true) {} } }", "neither data nor a list"),
        ("data.items[0].axes[0].value = { toJSON() { while (true) {} } }; return data", "longer than 200 ms"),
        ("JSON.stringify = () => '[[7]]'; return [{}]", "not an item of the data"),
        (
            "return new Proxy([], { get: (t, k) => k === 'length' ? 1e15 : data.items[0] })",
            "MB of memory|longer",
        ),
        ("data.items.length = 4294967295; return data", "not an item of the data"),
    ],
)
def test_a_hostile_answer_of_a_script_step_is_a_script_error(body: str, words: str, refused: Refused) -> None:
    with pytest.raises(ScriptError, match=words):
        DataScript([f"function execute(data) {{ {body} }}"], "execute", LIMITS)(DATA)
    refused(body)


@pytest.mark.parametrize(
    "source",
    ["throw { toString() { while (true) {} } }", "while (true) {}", "throw { get stack() { for (;;); } }"],
)
def test_a_source_that_is_hostile_while_it_loads_ends(source: str, refused: Refused) -> None:
    with pytest.raises(ScriptError, match="longer than 200 ms"):
        DataScript([source], "execute", LIMITS)(DATA)
    refused(f"loading {source}")
