"""parse_selector: parses the text of a selector into its syntax tree."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scoopi.java.java_blank import JAVA_TRIMMED
from scoopi.parse.css import syntax
from scoopi.parse.css.bound_text import bound, bound_pattern
from scoopi.parse.css.pseudo_class import parse_pseudo_class
from scoopi.parse.css.scanner import OWN_ELEMENT, Scanner

_COMBINATORS = ">+~"
_MAX_NESTING = 32
_OPERATORS = ("!=", "^=", "$=", "*=", "~=", "=")


def parse_selector(text: str, values: Mapping[str, str] = MappingProxyType({})) -> syntax.Selectors:
    """Parse a selector into its alternatives.

    Args:
        text: the selector.
        values: values of the page, by the letters that replace them in the text.
    Raises:
        ParseError: the selector is wrong; names the character, with a hint.
    Source: defs/README.md, 3.2.
    """
    return _parse_list(Scanner(text, text, values=values), 0)


def _parse_list(scanner: Scanner, nesting: int) -> syntax.Selectors:
    if nesting > _MAX_NESTING:
        scanner.fail("selectors are nested too deep", hint=f"nest :has and :not at most {_MAX_NESTING} deep")
    scanner.skip_blanks()
    chains = []
    if scanner.peek() == ",":
        chains.append(syntax.SelectorChain((), (), scoped=True))
    else:
        chains.append(_parse_chain(scanner, nesting))
    while scanner.take(","):
        chains.append(_parse_chain(scanner, nesting))
    return tuple(chains)


def _parse_chain(scanner: Scanner, nesting: int) -> syntax.SelectorChain:
    scanner.skip_blanks()
    compounds: list[syntax.Compound] = []
    combinators: list[str] = []
    scoped = scanner.peek() != "" and scanner.peek() in _COMBINATORS
    if not scoped:
        compounds.append(_parse_compound(scanner, nesting))
    while True:
        blank = scanner.skip_blanks()
        char = scanner.peek()
        if not char or char == ",":
            return syntax.SelectorChain(tuple(compounds), tuple(combinators), scoped)
        if char in _COMBINATORS:
            scanner.take(char)
            combinators.append(char)
            scanner.skip_blanks()
        elif blank:
            combinators.append(" ")
        compounds.append(_parse_compound(scanner, nesting))


def _parse_compound(scanner: Scanner, nesting: int) -> syntax.Compound:
    tests: list[syntax.Test] = []
    begin = scanner.position
    while scanner.peek() and scanner.peek() not in " \t\n\f\r,>+~":
        tests.extend(_parse_tests(scanner, nesting))
    if scanner.position == begin:
        found = f"'{scanner.peek()}'" if scanner.peek() else "the end"
        scanner.fail(
            f"a selector is missing before {found}", hint="name an element, as in 'td', or write '*'"
        )
    return tuple(tests)


def _parse_tests(scanner: Scanner, nesting: int) -> syntax.Compound:
    char = scanner.peek()
    if char == "#":
        return (syntax.Id(_parse_name(scanner, "id")),)
    if char == ".":
        return (syntax.ClassName(_parse_name(scanner, "class").lower()),)
    if char == "[":
        return (_parse_attribute(scanner),)
    if char == ":":
        return parse_pseudo_class(scanner, lambda inner: _parse_list(inner, nesting + 1))
    if char.isalnum():
        return (syntax.Tag(bound(scanner.word("-_|").replace("|", ":"), scanner.values).lower()),)
    if scanner.take("*|"):
        return (syntax.TagSuffix(bound(scanner.word("-_"), scanner.values).lower()),)
    if scanner.take("*"):
        return ()
    hint = "see the placeholders of this selector" if char == "%" else "remove it, or put it into quotes"
    return scanner.fail(f"'{char}' has no meaning here", hint=hint)


def _parse_name(scanner: Scanner, kind: str) -> str:
    sign = scanner.peek()
    scanner.take(sign)
    name = bound(scanner.word("-_"), scanner.values)
    if not name:
        hint = f"write '{sign}name'" if scanner.whole != "." else OWN_ELEMENT
        scanner.fail(f"the name of the {kind} is missing after '{sign}'", hint=hint)
    return name


def _parse_attribute(scanner: Scanner) -> syntax.AttributeTest:
    begin = scanner.position
    content, _ = scanner.between("[", "]")
    key, operator, value = _split_attribute(content)
    name = bound(key.strip(), scanner.values).lower()
    if not name or name == "^":
        scanner.fail(
            "the name of the attribute is missing", hint="write '[name]' or '[name=value]'", at=begin
        )
    if not operator:
        return syntax.AttributeTest(name[1:], "^") if name[0] == "^" else syntax.AttributeTest(name)
    if not bound(value, scanner.values):
        scanner.fail("the value is missing", hint=f"write \"[{name}{operator}'value']\"", at=begin)
    if operator == "~=":
        return syntax.AttributeTest(name, operator, bound_pattern(value, scanner.values))
    return syntax.AttributeTest(name, operator, _plain_value(operator, value, scanner.values))


def _split_attribute(content: str) -> tuple[str, str, str]:
    """Name, operator and value; the last two are empty for `[name]` and `[^prefix]`."""
    places = [(content.find(operator), operator) for operator in _OPERATORS if operator in content]
    if not places:
        return content, "", ""
    at, operator = min(places, key=lambda place: (place[0], -len(place[1])))
    return content[:at], operator, content[at + len(operator) :]


def _plain_value(operator: str, value: str, values: Mapping[str, str]) -> str:
    """The value without quotes, in lower case; blanks inside quotes are kept only for `^=` and `$=`."""
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    text = bound(value[1:-1] if quoted else value, values)
    keeps_blanks = quoted and operator in ("^=", "$=")
    return text.lower() if keeps_blanks else text.lower().strip(JAVA_TRIMMED)
