"""Budgets of groups and hosts: the keys, and the function that reads them.

Source: defs/README.md, 1.9.
"""

from __future__ import annotations

from collections.abc import Callable

from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, read_integer
from scoopi.defs.yaml.shape import Key, Kind, Record, Scalar
from scoopi.model.limits.budget import BUDGET_KEYS
from scoopi.model.place import Place

BUDGET = "budget"
_INTEGER = Scalar(Kind.INTEGER)
BUDGET_RECORD = Record(
    (
        Key("pages", _INTEGER, "The most pages that a run loads.", "pages: 1000"),
        Key(
            "time",
            Scalar(Kind.INTEGER, unit="seconds"),
            "The seconds after the first page from which on no further page is begun.",
            "time: 600",
        ),
        Key(
            "bytes",
            Scalar(Kind.INTEGER, unit="bytes"),
            "The number of received bytes from which on no further page is begun.",
            "bytes: 500000000",
        ),
        Key("depth", _INTEGER, "The most links from a locator to a page that is loaded.", "depth: 5"),
    )
)


def read_budget(
    node: Table | None,
    path: str,
    findings: Findings,
    note: Callable[[str, Place], None] = lambda key, at: None,
) -> dict[str, int]:
    """Return the numbers of a budget by key; a number below 1 is a finding, and so is a budget without any.

    Args:
        path: the path of names to the budget, for findings.
        note: called with each key and its place.
    """
    numbers: dict[str, int] = {}
    if node is not None and not node.entries:
        findings.warning(node.place, path, "the budget has no limit", "add `pages: 1000`, or remove it")
    for key in node.entries if node is not None else ():
        number = read_integer(node.text(key) or "") if node is not None else None
        if node is None or number is None or key not in BUDGET_KEYS:
            continue  # the shape checker reports it
        if number < 1:
            what = f"{key} is {number}, but a budget is at least 1"
            findings.error(node.at(key), f"{path}.{key}", what, "correct it, or remove it")
            continue
        numbers[key] = number
        note(key, node.keys[key])
    return numbers
