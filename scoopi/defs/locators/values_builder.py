"""read_values: reads the values of a locator's placeholders.

Source: defs/README.md, 1.4.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, timedelta

from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.node import Listing, Node, Table, Text, text_nodes
from scoopi.model.text.locator_values import (
    ISO_DAY,
    DateValues,
    LocatorValues,
    NumberValues,
    TextValues,
    check_day_pattern,
)
from scoopi.model.text.text_template import unescaped

_RANGE = re.compile(r"(.+?)\s*\.\.\s*(.+)")
_NUMBERS = re.compile(r"(\d{1,15})\s*(?:-|\.\.)\s*(\d{1,15})")
_NUMBER = re.compile(r"\d{1,15}")
_ENDLESS = re.compile(r"(\d{1,15})\s*(?:-|\.\.)")
_LIKE_NUMBERS = re.compile(r"-?\d+(?:[.,]\d+)*\s*(?:-|\u2013|\u2014)\s*-?\d+(?:[.,]\d+)*")
"""What looks like a range of numbers, but is invalid unless it matches `_NUMBERS`: `1.5-3`, `-5-3`."""
_STEP = re.compile(r"([1-9]\d{0,5})([dwm]?)")
_TODAY = re.compile(r"today(?:\s*([+-])\s*(\d{1,5}))?")
_DAY = r"\d{4}-\d\d(?:-\d\d)?|today(?:\s*[+-]\s*\d{1,5})?"
_DAYS_BY_HYPHEN = re.compile(rf"({_DAY})\s*-\s*({_DAY})")
"""Two days with a hyphen between them, as in a range of numbers."""
_MONTH = re.compile(r"\d{4}-\d\d")
_KEYS = frozenset({"from", "to", "step", "format"})
_INPUT = r"%\{\s*(?:input|slot)\.([^{}]*?)\s*\}"
_INPUT_RANGE = re.compile(rf"\s*(?:\d+|{_INPUT})\s*-\s*(?:\d+|{_INPUT})\s*|.+\.\..+")
"""A range as written, whose ends may be placeholders of inputs."""
_EXAMPLE = "write FIRST-LAST, as in 1-50, or DAY..DAY, as in 2026-01-01..2026-01-31"


def local_today() -> date:
    """Return the current day in the time zone of this machine: the value of `today` in definitions."""
    return datetime.now().astimezone().date()


def read_values(name: str, node: Node, today: date) -> LocatorValues | Fault:
    """Return the values of one placeholder, or the fault in them.

    Args:
        node: a range (`1-50`, `2026-01-01..2026-01-31`), a list of texts, one text, or a mapping with
            `from`, `to`, `step` and `format`.
        today: the date that `today` stands for.
    """
    if isinstance(node, Listing):
        texts = tuple(each.text for each in text_nodes(node))
        if len(texts) < len(node.entries) or not texts:
            return Fault(f"the list of {name} may contain only texts, at least one", "write [ oslo, bergen ]")
        return TextValues(name, tuple(map(unescaped, texts)))
    if isinstance(node, Table):
        return _of_table(name, node, today)
    if node.is_empty:
        return Fault(f"{name} has no value", _EXAMPLE)
    text = node.text.strip()
    read = _of_range(name, text, today)
    if node.written and (isinstance(read, Fault) or (read is None and _INPUT_RANGE.fullmatch(node.written))):
        return _wrong_input(node, read)
    if read is None and (found := _ENDLESS.fullmatch(text)):
        return Fault(f"{name} has no end", f"write {found[1]}-50; `next` reads a list of unknown length")
    return TextValues(name, (unescaped(node.text),)) if read is None else read


def _of_range(name: str, text: str, today: date) -> LocatorValues | Fault | None:
    """The values of a text that is a range, or its fault; None if it is not one."""
    if found := _NUMBERS.fullmatch(text):
        if _MONTH.fullmatch(text) and int(found[2]) < int(found[1]):
            return Fault(
                f"{text} is one month, and a range of numbers", f"write {text}..{text}, or [ {text} ]"
            )
        return _numbers(name, found[1], found[2], "1")
    if found := _RANGE.fullmatch(text):
        return _range(name, found[1], found[2], "", ISO_DAY, today)
    if found := _DAYS_BY_HYPHEN.fullmatch(text):
        return Fault(f"{text} is not a range of days", f"write {found[1]}..{found[2]}, with two dots")
    if _LIKE_NUMBERS.fullmatch(text):
        hint = f"write FIRST-LAST, as in 1-50; if a text is meant, write [ {text!r} ]"
        return Fault(f"{text} is not a range of whole numbers", hint)
    return None


def _wrong_input(node: Text, fault: Fault | None) -> Fault:
    """The fault of a range that the values of its inputs made invalid."""
    names = " and ".join(dict.fromkeys(re.findall(_INPUT, node.written)))
    became = f"`{node.written}` became `{node.text}`"
    if fault is not None:
        return Fault(f"{became}: {fault.what}", f"give another value for {names}")
    needed = "a whole number or a day" if ".." in node.written else "a whole number"
    hint = f"{names} must be {needed}; if a text is meant, write it as a list of one"
    return Fault(f"{became}, which is not a range", hint)


def _of_table(name: str, node: Table, today: date) -> LocatorValues | Fault:
    unknown = [each for each in node.entries if each not in _KEYS]
    texts = {key: (node.text(key) or "").strip() for key in _KEYS}
    if unknown or not texts["from"] or not texts["to"]:
        what = f"{name} has an unknown key {unknown[0]}" if unknown else f"{name} has no from, or no to"
        return Fault(what, "write { from: 1, to: 50, step: 5 }; step and, for days, format can be left out")
    if _NUMBER.fullmatch(texts["from"]) and _NUMBER.fullmatch(texts["to"]):
        if texts["format"]:
            return Fault(f"{name} has numbers, which take no format", "write 01-50 for two digits")
        return _numbers(name, texts["from"], texts["to"], texts["step"] or "1")
    return _range(name, texts["from"], texts["to"], texts["step"], texts["format"] or ISO_DAY, today)


def _numbers(name: str, first: str, last: str, step: str) -> LocatorValues | Fault:
    if not re.fullmatch(r"[1-9]\d{0,8}", step):
        return Fault(f"the step of {name} is {step}", "write a whole number from 1")
    if int(last) < int(first):
        return Fault(f"{name} ends before it begins", f"write {last}-{first}")
    return NumberValues(name, int(first), int(last), int(step), len(first) if first.startswith("0") else 0)


def _range(name: str, first: str, last: str, step: str, pattern: str, today: date) -> LocatorValues | Fault:
    begin, end = read_day(first, today), read_day(last, today, is_last=True)
    if begin is None or end is None:
        wrong = next((each for each in (first, last) if not _is_known(each, today)), first)
        return Fault(f"{wrong!r} in {name} is neither a number nor a day", _EXAMPLE)
    is_monthly = _MONTH.fullmatch(first) is not None and not step
    if is_monthly and re.fullmatch(r"\d{4}-\d\d-\d\d", last):
        what = f"{name} begins with a month and ends with a day"
        return Fault(what, f"write {first}-01..{last} for days, or {first}..{last[:7]} for months")
    found = _STEP.fullmatch(step or ("1m" if is_monthly else "1d"))
    if found is None:
        return Fault(f"the step of {name} is {step}", "write days, weeks or months: 1d, 2w, 1m")
    if end < begin:
        return Fault(f"{name} ends before it begins", f"write {last}..{first}")
    try:
        check_day_pattern(pattern)
    except ValueError as fault:
        return Fault(f"the format of {name}: {fault}", "write letters as in dd.MM.yyyy, or %d.%m.%Y")
    if is_monthly and pattern == ISO_DAY:
        pattern = "yyyy-MM"
    days = int(found[1]) * (7 if found[2] == "w" else 1)
    return DateValues(name, begin, end, days, found[2] == "m", pattern)


def _is_known(text: str, today: date) -> bool:
    return _NUMBER.fullmatch(text) is not None or read_day(text, today) is not None


def read_day(text: str, today: date, *, is_last: bool = False) -> date | None:
    """Return the day that a text names; None if it is not a day.

    >>> read_day("2026-02", date(2026, 3, 31), is_last=True), read_day("today-30", date(2026, 3, 31))
    (datetime.date(2026, 2, 28), datetime.date(2026, 3, 1))

    Args:
        is_last: a month (`2026-01`) means its last day; otherwise its first.
    """
    if found := _TODAY.fullmatch(text):
        days = int(found[2] or 0)
        return today + timedelta(days=-days if found[1] == "-" else days)
    try:
        if len(text) == len("2026-01"):
            first = date.fromisoformat(f"{text}-01")
            return first.replace(day=monthrange(first.year, first.month)[1]) if is_last else first
        return date.fromisoformat(text)
    except ValueError:
        return None
