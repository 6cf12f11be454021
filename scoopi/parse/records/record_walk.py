"""RecordWalk: evaluates all simple selectors of a record in one walk over its element.

Most selectors are a few tags and classes. Setting up a query for each of them costs libxml2 more than
visiting all elements of a card once. The compiled version is `parse/bridge/record_values.c`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.records.record_def import FieldDef
from scoopi.parse.bridge.html_backend import RecordValues
from scoopi.parse.css.element_text import attribute_of
from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.element import Element
from scoopi.parse.records.field_reader import FindRaws
from scoopi.parse.records.node_query import FoundNode, SelectorText
from scoopi.parse.records.node_value import value_of
from scoopi.parse.walks.simple_chain import SimpleChain, SimpleCompound

Raws = Sequence[str]

_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_BLANKS = re.compile("[ \t\r\n]+")
_MOST_KINDS = 5000
_NOTHING: tuple[str, ...] = ()
_TEXTS = {"visible": "v", "own": "o", "raw": "r"}


class _Target(NamedTuple):
    """A field whose selector is a SimpleChain.

    Attributes:
        at: index of the field.
        attribute: name of the attribute to read; empty to use `take`.
        take: reads the text or markup of the element.
    """

    at: int
    chain: SimpleChain
    attribute: str
    take: Callable[[FoundNode], str]
    is_list: bool


class RecordWalk:
    """Evaluates all simple selectors of a record in one walk over its element, for all records of a page.

    Selectors that are not simple are evaluated by their queries.

    Args:
        fields: each field, and the query that finds it in a record's element; None if it is not found there.
        native: the compiled walk; None to walk in Python.
    """

    def __init__(
        self, fields: Sequence[tuple[FieldDef, FindRaws | None]], native: RecordValues | None = None
    ) -> None:
        found = [_target(at, field) if find is not None else None for at, (field, find) in enumerate(fields)]
        targets = [target for target in found if target is not None]
        self._finds = found
        others = ((at, find) for at, (_, find) in enumerate(fields) if found[at] is None)
        self._others = [(at, find) for at, find in others if find is not None]
        self._targets = targets
        self.targets = [target.at for target in targets]
        """Indexes of the fields that the walk evaluates."""
        self._known: dict[tuple[str, str | None], list[_Target]] = {}
        self._singles = sum(not target.is_list for target in targets)
        self._has_lists = any(target.is_list for target in targets)
        planned = {
            target.at: _planned(target, fields[target.at][0]) for target in targets if native is not None
        }
        plan = tuple(each for each in planned.values() if each is not None)
        self._native = None if native is None else native(plan, len(fields))
        self._unplanned = [
            (at, find) for at, (_, find) in enumerate(fields) if find is not None and planned.get(at) is None
        ]

    def __call__(self, roots: Sequence[Element]) -> list[Sequence[Raws]]:
        """For each record's element, the raw values of all fields, in order; none for one without a query."""
        if self._native is None:
            return [self.walked(root) for root in roots]
        found: list[Sequence[Raws]] = []
        for root, values in zip(roots, self._native(list(roots)), strict=True):
            if values is None:
                found.append(self.walked(root))
                continue
            whole: list[Raws] = [each or _NOTHING for each in values]
            for at, find in self._unplanned:
                whole[at] = find(root)
            found.append(whole)
        return found

    def walked(self, root: Element) -> list[Raws]:
        """The raw values of each field in one record, found by a walk in Python."""
        values: list[Raws] = [_NOTHING] * len(self._finds)
        for at, find in self._others:
            values[at] = find(root)
        left = self._singles
        known = self._known
        for element in root.iter("*") if self.targets else ():
            kind = (element.tag, element.get("class"))
            targets = known.get(kind)
            if targets is None:
                targets = self._targets_of(kind)
            for target in targets:
                at = target.at
                if values[at] and not target.is_list:
                    continue
                last = target.chain.compounds[0]
                if last.id and element.get("id") != last.id:
                    continue
                if target.chain.combinators and not self._is_below(element, root, target, 0):
                    continue
                attribute = target.attribute
                value = attribute_of(element, attribute) if attribute else target.take(element)
                if value is None:
                    continue
                if target.is_list:
                    values[at] = (*values[at], value)
                else:
                    values[at] = (value,)
                    left -= 1
            if not left and not self._has_lists:
                break
        return values

    def _targets_of(self, kind: tuple[str, str | None]) -> list[_Target]:
        """The fields whose last compound matches elements with this tag and class, apart from the id."""
        if len(self._known) >= _MOST_KINDS:
            self._known.clear()
        targets = [target for target in self._targets if _has(kind, target.chain.compounds[0])]
        self._known[kind] = targets
        return targets

    def _is_below(self, element: Element, root: Element, target: _Target, at: int) -> bool | None:
        """Whether the rest of the chain matches ancestors of an element, up to the record's element.

        None if it cannot match above any of them either, so that deeply nested elements do not take minutes.
        """
        chain = target.chain
        if at == len(chain.combinators):
            return True
        is_child, compound = chain.combinators[at] == ">", chain.compounds[at + 1]
        while element is not root:
            parent = element.getparent()
            if parent is None:
                return None
            found = _fits(parent, compound) and self._is_below(parent, root, target, at + 1)
            if found is not False or is_child:
                return found
            element = parent
        return None


def _fits(element: Element, compound: SimpleCompound) -> bool:
    if compound.id and element.get("id") != compound.id:
        return False
    return _has((element.tag, element.get("class")), compound)


def _has(kind: tuple[str, str | None], compound: SimpleCompound) -> bool:
    tag, written = kind
    if compound.tag and tag != compound.tag:
        return False
    if not compound.classes:
        return True
    return written is not None and compound.classes <= {*_BLANKS.split(written.translate(_TO_LOWER))}


def _planned(target: _Target, field: FieldDef) -> tuple[object, ...] | None:
    """The field as a target of the compiled walk; None if that cannot evaluate it."""
    if field.html and not target.attribute:
        return None
    return target.chain.plan(target.at, target.attribute, _TEXTS[field.text], is_list=target.is_list)


def _target(at: int, field: FieldDef) -> _Target | None:
    """The target of a field whose only selector is simple; None for any other field."""
    if len(field.selects) != 1 or field.page:
        return None
    path, attribute, is_xpath = SelectorText.of(field.selects[0].text)
    if is_xpath or not path:
        return None
    try:
        selectors = parse_selector(path)
    except ParseError:
        return None
    chain = SimpleChain.of(selectors)
    if chain is None:
        return None
    return _Target(at, chain, attribute, value_of(field.text, field.html), field.is_list)
