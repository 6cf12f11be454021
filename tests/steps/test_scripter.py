"""Scripter: JavaScript and Python scripts change the rows of a page."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ParseError, ScriptError, StepError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Locator
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import Script
from scoopi.steps.scripter import Scripter

AXES = (Axis("item", "day", 1), Axis("dim", "date", 2))
DATA = Data("weather", (Item(AXES, ("Mon", "Dec '16"), (1, 1)), Item(AXES, ("Tue", "Feb '20"), (2, 1))))
FILES = {
    "/months.js": "const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');",
    "/ends.js": """
        function endOfMonth(text) {
            const [month, year] = text.split(" '");
            const end = new Date(Date.UTC(2000 + Number(year), MONTHS.indexOf(month) + 1, 0));
            return end.toISOString().slice(0, 10);
        }
        function execute(data) {
            var items = data.getItems();
            for (var i = 0; i < items.size(); i++) {
                var axis = items.get(i).getAxisByItemName('date');
                axis.setValue(endOfMonth(axis.getValue()));
            }
            return data;
        }""",
}


def run(*plugins: BasicScript | Script, data: object = DATA) -> Data:
    step = Scripter(plugins, FILES.__getitem__, ScriptLimits(timeout_ms=300))
    handover = step.run(Payload("7", Locator("oslo", "cityGroup", "u"), 1, "weatherTask", data))
    assert isinstance(handover, ToTask)
    assert handover.payload.job == "7"
    return handover.payload.expect(Data)


def column(data: Data, number: int) -> list[str | None]:
    return [item.values[number] for item in data.items]


def shout(data: Data, mark: str = "!") -> Data:
    return data.with_items(
        [item._replace(values=(f"{item.values[0]}{mark}", item.values[1])) for item in data.items]
    )


def test_script_files_change_values() -> None:
    changed = run(BasicScript(scripts=["/months.js", "/ends.js"]))
    assert column(changed, 1) == ["2016-12-31", "2020-02-29"]
    assert column(changed, 0) == ["Mon", "Tue"]


def test_the_script_may_be_a_file_as_in_the_original() -> None:
    assert column(run(BasicScript("/months.js", ["/ends.js"])), 1) == ["2016-12-31", "2020-02-29"]


def test_an_inline_script_comes_before_files_and_another_entry_point_may_be_named() -> None:
    inline = "function firstOnly(data) { const copy = execute(data); copy.items.remove(1); return copy; }"
    changed = run(BasicScript(inline, ["/months.js", "/ends.js"], "firstOnly"))
    assert column(changed, 1) == ["2016-12-31"]


def test_each_script_gets_what_the_one_before_returned() -> None:
    drop = BasicScript("const execute = data => data.items.filter(item => item.axes[0].value !== 'Mon!')")
    assert column(run(shout, drop, partial(shout, mark="?")), 0) == ["Tue!?"]


def test_no_scripts_hand_the_data_on() -> None:
    assert run() == DATA


def test_a_python_script_of_the_users_file_is_run_and_its_errors_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "fixes.py"
    path.write_text("import json\n\ndef fix(data):\n    return json.loads(data.name)\n")
    script = PluginFinder([tmp_path], BUILTINS).construct("scripts", PluginDef("fix", "fixes.fix"))
    with pytest.raises(ScriptError, match="script fix failed: AttributeError") as caught:
        run(script)
    assert caught.value.at == f"{path}:4"


def test_a_python_script_may_be_an_object_with_fields(tmp_path: Path) -> None:
    (tmp_path / "shouting.py").write_text(
        "class Shout:\n"
        "    def __init__(self, mark: str): self.mark = mark\n"
        "    def __call__(self, data):\n"
        "        marked = [tuple(value + self.mark for value in item.values) for item in data.items]\n"
        "        rows = [item._replace(values=row) for item, row in zip(data.items, marked)]\n"
        "        return data.with_items(rows)\n"
    )
    finder = PluginFinder([tmp_path], BUILTINS)
    script = finder.construct("scripts", PluginDef("mine", "shouting.Shout", {"mark": "?"}))
    assert column(run(script), 1) == ["Dec '16?", "Feb '20?"]


@pytest.mark.parametrize("result", [None, 1, [DATA]])
def test_a_python_script_that_returns_no_data_fails_the_task(result: Any) -> None:
    def wrong(data: Data) -> Any:
        return result

    with pytest.raises(ScriptError, match=r"wrong returned .*return the data"):
        run(wrong)


def test_a_python_script_may_fail_the_task_in_its_own_words() -> None:
    def refuse(data: Data) -> Data:
        raise ParseError("page is of another year")

    with pytest.raises(ParseError, match="another year"):
        run(refuse)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("function execute(data) { }", "nothing was returned"),
        ("function execute(data) { return 5 }", "neither data nor a list"),
        ("function execute(data) { while (true); }", "longer than 300 ms"),
        ("function other(data) { return data }", "no function execute"),
    ],
)
def test_a_javascript_that_returns_no_data_fails_the_task(script: str, words: str) -> None:
    with pytest.raises(ScriptError, match=words):
        run(BasicScript(script))


def test_another_input_than_data_is_refused() -> None:
    with pytest.raises(StepError, match="expects Data"):
        run(shout, data="a page")


def test_basic_script_is_made_from_its_definition() -> None:
    finder = PluginFinder([], BUILTINS)
    fields = {"scripts": ["/months.js", "/ends.js"], "entryPoint": "execute"}
    name = "org.codetab.scoopi.plugin.script.BasicScript"
    assert column(run(finder.construct("scripts", PluginDef("js", name, fields))), 1)[0] == "2016-12-31"
    (fault,) = finder.check("scripts", PluginDef("js", name, {"scripts": "/a.js"}))
    assert fault.what == "field scripts: expected a list, got '/a.js'"
