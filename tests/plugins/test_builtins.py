"""BUILTINS: every name leads to a plugin."""

from __future__ import annotations

import pytest

from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import PluginKind

KINDS: tuple[PluginKind, ...] = ("appenders", "encoders", "scripts")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in BUILTINS[kind]])
def test_a_built_in_can_be_imported(kind: PluginKind, name: str) -> None:
    assert callable(PluginFinder([], BUILTINS).find(kind, name))
