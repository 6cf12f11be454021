"""parse_pseudo_class: parses a pseudo-class of a selector, such as `:nth-child(2)`, into tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from scoopi.model.text.shown import did_you_mean, nearest
from scoopi.parse.css import syntax
from scoopi.parse.css.bound_text import bound, bound_pattern
from scoopi.parse.css.scanner import OWN_ELEMENT, Scanner

_NTH = re.compile(r"([+-]?)(\d{0,9})n(?:\s*([+-])\s*(\d{1,9}))?")
_NUMBER = re.compile(r"[+-]?\d{1,9}")
_PLAIN: dict[str, syntax.Compound] = {
    "first-child": (syntax.Nth(0, 1),),
    "last-child": (syntax.Nth(0, 1, from_end=True),),
    "only-child": (syntax.Nth(0, 1), syntax.Nth(0, 1, from_end=True)),
    "first-of-type": (syntax.Nth(0, 1, of_type=True),),
    "last-of-type": (syntax.Nth(0, 1, from_end=True, of_type=True),),
    "only-of-type": (syntax.Nth(0, 1, of_type=True), syntax.Nth(0, 1, from_end=True, of_type=True)),
    "empty": (syntax.StateTest("empty"),),
    "root": (syntax.StateTest("root"),),
    "matchText": (syntax.StateTest("matchText"),),
}
_PLAIN_BY_LOWER = {name.lower(): compound for name, compound in _PLAIN.items()}
_NTH_NAMES = ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type")
_SIBLINGS = {"eq": "=", "lt": "<", "gt": ">"}
_TEXT_NAMES = """
    contains containsOwn containsData containsWholeText containsWholeOwnText
    matches matchesOwn matchesWholeText matchesWholeOwnText
"""
_TEXTS = {name.lower(): name for name in _TEXT_NAMES.split()}
_LISTS = ("has", "not", "is")
_ATTRIBUTE_OF = re.compile(r"::attr(?:ibute)?\(\s*['\"]?([\w:-]+)['\"]?\s*\)")
_ATTRIBUTE_WORD = re.compile(r"(.*?)\s+(\w{6,12})\s*:\s*([\w:-]+)\s*")
_NAMES = (*_PLAIN, *_NTH_NAMES, *_SIBLINGS, *_TEXTS.values(), *_LISTS)


def parse_pseudo_class(
    scanner: Scanner, parse_list: Callable[[Scanner], syntax.Selectors]
) -> syntax.Compound:
    """Parse the pseudo-class at the scanner's position, and advance the scanner past it.

    Args:
        scanner: positioned at the colon.
        parse_list: parses the selectors inside `:has`, `:not` and `:is`.
    Raises:
        ParseError: an unknown pseudo-class or an invalid argument.
    Source: defs/README.md, 3.2.
    """
    begin = scanner.position
    scanner.take(":")
    name = scanner.word("-").lower()
    if name in _PLAIN_BY_LOWER:
        return _PLAIN_BY_LOWER[name]
    if name not in (*_NTH_NAMES, *_SIBLINGS, *_TEXTS, *_LISTS):
        _fail_unknown(scanner, name, begin)
    if scanner.peek() != "(":
        scanner.fail(f"':{name}' needs its argument in brackets", hint=f"write ':{name}(…)'")
    if name in _NTH_NAMES or name in _SIBLINGS:
        return (_parse_number(scanner, name),)
    content, offset = scanner.between("(", ")")
    if not bound(content, scanner.values):
        scanner.fail(f"':{name}()' is empty", hint="write what it looks for between the brackets", at=begin)
    if name in _LISTS:
        return (syntax.NestedTest(name, parse_list(Scanner(content, scanner.whole, offset, scanner.values))),)
    kind = _TEXTS[name]
    if kind.startswith("matches"):
        return (syntax.TextTest(kind, bound_pattern(content, scanner.values)),)
    text = bound(re.sub(r"\\(.?)", r"\1", content), scanner.values)
    return (syntax.TextTest(kind, text if "Whole" in kind else text.lower()),)


def _fail_unknown(scanner: Scanner, name: str, begin: int) -> NoReturn:
    known = f"the pseudo-classes are :{' :'.join(sorted(_NAMES))}"
    meant = _as_attribute(scanner, begin) or did_you_mean(name, _NAMES, known, "':{}'")
    hint = OWN_ELEMENT if name == "scope" else meant
    scanner.fail(f"there is no ':{name}'", hint=hint, at=begin)


def _as_attribute(scanner: Scanner, begin: int) -> str:
    """The hint for the `a::attr(href)` or `a::text` of other tools; empty for anything else."""
    path, rest = scanner.text[:begin].strip() or "*", scanner.text[begin:]
    attribute = _ATTRIBUTE_OF.match(rest)
    if attribute:
        return f"an attribute is read by '{path} attribute: {attribute[1]}'"
    if rest.startswith("::text"):
        return f"the element's own text is read by '{path}'"
    word = _ATTRIBUTE_WORD.fullmatch(scanner.text)
    if word and nearest(word[2], ["attribute"]):
        return f"an attribute is read by '{word[1]} attribute: {word[3]}'"
    return ""


def _parse_number(scanner: Scanner, name: str) -> syntax.Test:
    begin = scanner.position
    scanner.take("(")
    argument = bound(scanner.up_to(")"), scanner.values).strip().lower()
    if name in _SIBLINGS:
        if not re.fullmatch(r"\d{1,9}", argument):
            scanner.fail(
                f"':{name}' needs a number from 0, got '{argument}'", hint=f"write ':{name}(0)'", at=begin
            )
        return syntax.SiblingIndex(_SIBLINGS[name], int(argument))
    step = _parse_step(argument)
    if step is None:
        hint = f"write a number, odd, even or an+b, as in ':{name}(2n+1)'"
        scanner.fail(f"':{name}' cannot read '{argument}'", hint=hint, at=begin)
    return syntax.Nth(*step, from_end="last" in name, of_type=name.endswith("of-type"))


def _parse_step(argument: str) -> tuple[int, int] | None:
    """a and b of an+b; None if malformed. As in jsoup, a bare sign before n is ignored: `-n+2` is `n+2`."""
    if argument in ("odd", "even"):
        return 2, int(argument == "odd")
    if _NUMBER.fullmatch(argument):
        return 0, int(argument)
    found = _NTH.fullmatch(argument)
    if not found:
        return None
    sign, factor, plus, shift = found.groups()
    return int(sign + factor) if factor else 1, int(plus + shift) if shift else 0
