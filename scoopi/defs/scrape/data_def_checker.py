"""DataDefChecker: checks a data definition that a task uses."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scoopi.defs.records.download_language import check_download
from scoopi.defs.scrape.checkers import Checkers, Fault, SelectorFaults
from scoopi.defs.scrape.class_names import CSS_PARSER, XPATH_PARSER
from scoopi.defs.scrape.data_def_builder import FACT, WrittenDataDef, WrittenItem
from scoopi.defs.scrape.placeholders import (
    Use,
    holds_only_indexes,
    reads_own_index,
    unresolved,
    uses,
    with_stand_ins,
)
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Text, read_bounds
from scoopi.model.data_def import DataDef, ItemDef, is_link_pattern
from scoopi.model.place import NOWHERE, Place
from scoopi.model.text.page_text import MARK

_FILTER_TYPES = ("value", "match")


class DataDefChecker:
    """Checks a data definition that a task uses: names, ranges, placeholders, selectors, patterns, scripts.

    Source: defs/README.md, 2.
    """

    def __init__(self, written: WrittenDataDef, checkers: Checkers, findings: Findings) -> None:
        self._written = written
        self._checkers = checkers
        self._findings = findings
        # The engines check placeholders and ranges, too: each place is reported only once.
        self._reported: set[Place] = set()

    def check(self, parsers: set[str], makes_links: bool | None) -> None:
        """Check the definition, and report all findings.

        Args:
            parsers: the classes of the parser steps that use the definition.
            makes_links: whether a task makes links from its items; None if unknown.
        """
        self._check_names()
        for each in self._written.entries:
            self._check_range(each)
            self._check_texts(each)
            self._check_links(each, makes_links)
            self._check_download(each)
        self._check_query()
        self._check_selectors(parsers)

    def _check_names(self) -> None:
        known: dict[str, WrittenItem] = {}
        for each in self._written.entries:
            name = each.item.name
            if not name:
                continue
            if name == FACT != each.axis:
                what = f"{name!r} is not a valid name for an item or dim"
                self._findings.error(
                    each.at("name"), f"{each.key}.name", what, "only facts are called `fact`"
                )
                continue
            if each.axis == FACT and name != self._written.facts[0].item.name:
                what = f"the facts of {self._written.data_def.name} have two names"
                hint = "they share one column: give them one name"
                first = self._written.facts[0].item.place
                self._findings.error(each.at("name"), f"{each.key}.name", what, hint, also=first)
                continue
            if name in known and not _are_twin_facts(known[name], each):
                first = known[name].item.place
                what = f"the name {name!r} occurs twice in {self._written.data_def.name}"
                self._findings.error(each.at("name"), f"{each.key}.name", what, "rename one", also=first)
            known.setdefault(name, each)

    def _check_range(self, each: WrittenItem) -> None:
        item = each.item
        if each.node is not None and {"index", "indexRange"} <= each.node.entries.keys():
            what = "index is ignored beside indexRange"
            self._findings.warning(each.node.keys["index"], each.key, what, "remove it")
        bounds = read_bounds((each.node.text("indexRange") or "") if each.node is not None else "")
        if each.node is not None and bounds and bounds[0] > bounds[1]:
            first, last = bounds
            what = f"the range {first}-{last} is read as {last}-{first}"
            self._findings.warning(
                each.at("indexRange"), f"{each.key}.indexRange", what, f"write {last}-{first}"
            )
        if item.last is not None:
            return
        place = each.at("indexRange" if each.node and "indexRange" in each.node.entries else "breakAfter")
        query = self._written.data_def
        selector = query.selector if each.axis == FACT else item.selector
        fault = _endless(each, selector)
        if fault:
            self._reported.add(item.place)
            what = f"the range of {item.name!r} is open and {fault}"
            self._findings.error(place, each.key, what, "give it an end, as in indexRange: 1-5")
        elif item.script is None and not reads_own_index(f"{query.block} {selector}", each):
            what = f"the range of {item.name!r} is open, but its selector does not change with %{{index}}"
            self._findings.warning(place, each.key, what, "put %{index} into it, or give the range an end")

    def _check_texts(self, each: WrittenItem) -> None:
        item = each.item
        for number, filter_def in enumerate(item.filters):
            key = f"{each.key}.filters[{number}]"
            fault = self._checkers.regex(filter_def.pattern)
            if fault:
                what = f"the pattern is wrong: {fault.what}"
                self._findings.error(filter_def.place, f"{key}.pattern", what, fault.hint)
            if filter_def.type and filter_def.type not in _FILTER_TYPES:
                what = f"filter type {filter_def.type!r} acts as value"
                self._findings.warning(filter_def.type_place, f"{key}.type", what, "write value or match")
        written = each.node.entries.get("linkBreakOn") if each.node is not None else None
        for number, entry in enumerate(written.entries if isinstance(written, Listing) else ()):
            text = entry.text if isinstance(entry, Text) else ""
            if is_link_pattern(text) and (fault := self._checkers.regex(text)):
                what = f"the pattern {text!r} is wrong: {fault.what}"
                hint = "for an address as it is, write \\Q before and \\E behind it"
                self._findings.error(entry.place, f"{each.key}.linkBreakOn[{number}]", what, hint)
        if item.script is not None:
            self._check_script(each, item.script)
        if item.selector is None:
            return
        if each.axis == FACT:
            what = "the selector of a fact is ignored"
            self._findings.warning(each.at("selector"), each.key, what, "put it into query.selector")
        elif not _is_constant(item):
            self._check_placeholders(
                item.selector, uses(self._written, [each]), each.at("selector"), f"{each.key}.selector"
            )

    def _check_script(self, each: WrittenItem, script: str) -> None:
        place, key = each.at("script"), f"{each.key}.script"
        places = uses(self._written, [each])
        fault = self._checkers.script(with_stand_ins(script, () if _is_constant(each.item) else places))
        if MARK in script:
            fault = Fault("there is a NUL character", "remove it")
        if _is_constant(each.item):
            if fault:
                what = f"the script is wrong, but never run beside value or match: {fault.what}"
                self._findings.warning(place, key, what, "remove it")
            return
        if fault:
            self._findings.error(place, key, f"the script is wrong: {fault.what}", fault.hint)
        self._check_placeholders(script, places, place, key, may_stay=True, owner=each)

    def _check_links(self, each: WrittenItem, makes_links: bool | None) -> None:
        item = each.item
        if item.link_group and each.axis != "item":
            what = f"links are made from items only, not from the {each.axis} {item.name!r}"
            self._findings.warning(each.at("linkGroup"), each.key, what, "move linkGroup to an item")
        elif item.link_group and makes_links is False and not self._findings.is_broken:
            what = f"no task makes links from {self._written.data_def.name}: linkGroup has no effect"
            hint = "give a task of it a LocatorCreator step after the parser"
            self._findings.warning(each.at("linkGroup"), each.key, what, hint)
        elif makes_links and each.axis == "item" and not item.link_group:
            what = f"item {item.name!r} has no linkGroup: no links are made from it"
            self._findings.warning(item.place, each.key, what, "add `linkGroup: …`, or remove the item")
        if not item.link_group:
            for key in ("linkBreakOn", "once"):
                if each.node is not None and key in each.node.entries:
                    what = f"{key} has no effect without linkGroup"
                    self._findings.warning(each.at(key), each.key, what, "add `linkGroup: …`")

    def _check_download(self, each: WrittenItem) -> None:
        if each.node is not None:
            names = [f"item.{other.item.name}" for other in self._written.entries]
            names = [*dict.fromkeys(names)]
            has_many = any(other.item.first != other.item.last for other in self._written.entries)
            check_download(each.node, each.key, names, self._findings, self._checkers.path, has_many=has_many)

    def _check_query(self) -> None:
        written, data_def = self._written, self._written.data_def
        asking = [each for each in written.entries if self._asks(each)]
        self._check_placeholders(
            data_def.block, uses(written, asking), data_def.block_place, f"{written.key}.query.block"
        )
        facts = [each for each in written.facts if self._asks(each)]
        self._check_placeholders(
            data_def.selector or "",
            uses(written, facts),
            data_def.selector_place,
            f"{written.key}.query.selector",
        )

    def _asks(self, each: WrittenItem) -> bool:
        """Whether the value of the axis is read from the page."""
        selector = self._written.data_def.selector if each.axis == FACT else each.item.selector
        return selector is not None and not _is_constant(each.item)

    def _check_placeholders(
        self,
        text: str,
        places: list[Use],
        place: Place,
        key: str,
        may_stay: bool = False,
        owner: WrittenItem | None = None,
    ) -> None:
        for fault in unresolved(text, places, may_stay):
            self._reported |= {place} if owner is None else {place, owner.item.place}
            self._findings.error(place, key, fault.what, fault.hint, near=fault.near)

    def _check_selectors(self, parsers: set[str]) -> None:
        if CSS_PARSER in parsers:
            self._check_by(self._checkers.css)
        if XPATH_PARSER in parsers:
            self._check_by(self._checkers.xpath)

    def _check_by(self, engine: Callable[[DataDef], SelectorFaults]) -> None:
        """Report faults of selectors; those of unused selectors, found by a second check, are warnings."""
        reported = {*self._reported, NOWHERE}
        for place, what, hint in engine(self._changed(_without_selector)):
            if place not in reported:
                self._findings.error(place, self._key_at(place), what, hint)
        idle = {
            each.item.selector_place
            for each in (*self._written.items, *self._written.dims)
            if _is_constant(each.item) and holds_only_indexes(each.item.selector or "")
        }
        for place, what, _ in engine(self._changed(_without_constant)) if idle - reported else ():
            if place in idle - reported:
                what = f"{what}; this selector is never used"
                self._findings.warning(place, self._key_at(place), what, "remove it")

    def _changed(self, change: Callable[[ItemDef], ItemDef]) -> DataDef:
        """The definition with its items and dims changed, and without the unused selectors of facts."""
        data_def = self._written.data_def
        asks = any(self._asks(each) for each in self._written.facts)
        return msgspec.structs.replace(
            data_def,
            selector=data_def.selector if asks else None,
            items=tuple(change(each) for each in data_def.items),
            dims=tuple(change(each) for each in data_def.dims),
            facts=tuple(msgspec.structs.replace(each, selector=None) for each in data_def.facts),
        )

    def _key_at(self, place: Place) -> str:
        data_def, key = self._written.data_def, self._written.key
        known = {data_def.block_place: f"{key}.query.block", data_def.selector_place: f"{key}.query.selector"}
        known |= {each.item.selector_place: f"{each.key}.selector" for each in self._written.entries}
        return known.get(place, key)


def _endless(each: WrittenItem, selector: str | None) -> str:
    """Why an open range of an axis never ends, or has no rows; empty if it may end."""
    item = each.item
    if _is_constant(item):
        name = "value" if item.value is not None else "match"
        return f"its {name} never changes: it would never end"
    if each.axis == FACT and not item.break_after:
        return "a fact ends by breakAfter only: it would never end"
    if item.script is None and selector is None:
        return "there is nothing to read: it has no rows"
    return ""


def _is_constant(item: ItemDef) -> bool:
    return item.value is not None or item.match is not None


def _without_selector(item: ItemDef) -> ItemDef:
    return msgspec.structs.replace(item, selector=None) if _is_constant(item) else item


def _without_constant(item: ItemDef) -> ItemDef:
    return msgspec.structs.replace(item, value=None, match=None)


def _are_twin_facts(one: WrittenItem, other: WrittenItem) -> bool:
    """Whether both are facts that differ only in their constant, so that each makes rows of its own."""
    if one.axis != FACT or other.axis != FACT:
        return False
    return _but_constant(one.item) == _but_constant(other.item)


def _but_constant(item: ItemDef) -> ItemDef:
    bare = tuple(msgspec.structs.replace(each, place=NOWHERE, type_place=NOWHERE) for each in item.filters)
    return msgspec.structs.replace(
        item,
        value=None,
        match=None,
        order=1,
        filters=bare,
        selector=None,
        place=NOWHERE,
        selector_place=NOWHERE,
    )
