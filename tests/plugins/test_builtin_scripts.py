"""BasicScript: definitions that could never run are refused."""

from __future__ import annotations

import pytest

from scoopi.errors import PluginError
from scoopi.plugins.builtin_scripts import BasicScript


def test_a_script_without_anything_to_run_is_refused() -> None:
    with pytest.raises(PluginError, match="nothing to run"):
        BasicScript(" ")


@pytest.mark.parametrize("name", ["", "a b", "f()", "1f", "a.", "f;g"])
def test_an_entry_point_that_is_not_a_function_name_is_refused(name: str) -> None:
    with pytest.raises(PluginError, match="not a valid function name"):
        BasicScript("1", entry_point=name)


@pytest.mark.parametrize("name", ["execute", "$f_1", "lib.run"])
def test_an_entry_point_may_be_a_dotted_name(name: str) -> None:
    assert BasicScript("1", entry_point=name).entry_point == name


@pytest.mark.parametrize(
    "written", ["/scripts/moment.js", "moment.min.js", " ../my scripts/a.js\n", "file:///a/b.js"]
)
def test_a_script_that_is_an_address_is_the_first_file(written: str) -> None:
    plugin = BasicScript(written, ["/second.js"])
    assert (plugin.script, plugin.scripts) == ("", (written.strip(), "/second.js"))


@pytest.mark.parametrize("written", ["1", "run(a.js)", "var lib = {};\nlib.js", "a.js;", "library.json"])
def test_a_script_that_is_code_stays_code(written: str) -> None:
    plugin = BasicScript(written, ["/second.js"])
    assert (plugin.script, plugin.scripts) == (written, ("/second.js",))
