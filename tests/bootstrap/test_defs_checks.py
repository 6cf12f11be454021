"""DefsChecks: what other rooms cannot read in definitions is a fault, not an error of the check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.bootstrap.defs_checks import DefsChecks
from scoopi.defs.scrape.checkers import Checkers, Fault
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.rows.query_rows import QueryLimits
from scoopi.runs.rows.run_outputs import RunOutputs
from scoopi.runs.run_request import RunRequest

CHECKS: dict[str, Callable[[Checkers, str], object]] = {
    "regex": lambda checkers, text: checkers.regex(text),
    "url": lambda checkers, text: checkers.url(text),
    "host_pattern": lambda checkers, text: checkers.host_pattern(text),
    "page_selector": lambda checkers, text: checkers.page_selector(text),
    "live": lambda checkers, text: checkers.live(text),
    "script": lambda checkers, text: checkers.script(text),
    "ca": lambda checkers, text: checkers.ca(text),
    "step_class": lambda checkers, text: checkers.step_class(text),
}


@pytest.fixture
def checkers(tmp_path: Path) -> Checkers:
    configs = ConfigsComposer(RunRequest(tmp_path, environ={})).compose()
    rows = RunOutputs(tmp_path / "output"), QueryLimits(1)
    return DefsChecks(configs, PluginFinder((), BUILTINS), tmp_path, rows).checkers(tmp_path, False)


@pytest.mark.parametrize(
    ("check", "text", "what"),
    [
        ("regex", "(a", "a group is not closed"),
        ("url", "http://", "the address has no valid host"),
        ("host_pattern", "a b", "' ' is not allowed in a host name"),
        ("page_selector", "li:nope(", "there is no ':nope', at character 3"),
        ("live", "P1X", "neither a span of time nor a date-time"),
        ("script", "1 +", "unexpected token in expression"),
        ("ca", "no.pem", "the file has no readable certificates"),
        ("step_class", "shop.NoStep", "unknown class shop.NoStep of steps"),
    ],
)
def test_what_cannot_be_read_is_a_fault(
    checkers: Checkers, tmp_path: Path, check: str, text: str, what: str
) -> None:
    (tmp_path / "no.pem").write_text("no certificate")
    fault = CHECKS[check](checkers, text)
    assert isinstance(fault, Fault)
    assert what in fault.what


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("regex", "(a)"),
        ("url", "http://shop.example/"),
        ("page_selector", "li"),
        ("live", "P1W"),
        ("script", "1 + 1"),
        ("step_class", "PageLoader"),
    ],
)
def test_what_can_be_read_is_none(checkers: Checkers, check: str, text: str) -> None:
    assert CHECKS[check](checkers, text) is None


def test_hosts_are_compared_in_lower_case(checkers: Checkers) -> None:
    assert checkers.host_pattern("*.Example.org") == "*.example.org"
