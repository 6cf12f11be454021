"""What a docstring lists as arguments and attributes are those of the function or class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.structure.sources import Function, Source, sources

_SECTION = re.compile(r"^(Args|Attributes):\n((?: {4}.*\n?|\n)+)", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(\w+(?:, \w+)*): ", re.MULTILINE)


def stale(source: Source) -> Iterator[str]:
    """Each name in a list of a docstring that the function or class does not have, with its place."""
    for node in ast.walk(source.tree):
        if isinstance(node, Function | ast.ClassDef):
            for section, entries in _SECTION.findall(ast.get_docstring(node) or ""):
                listed = [name for entry in _ENTRY.findall(entries) for name in entry.split(", ")]
                known = _attributes(node) if section == "Attributes" else _arguments(node)
                yield from (f"{source.name}:{node.lineno}: {name}" for name in listed if name not in known)


def _arguments(node: Function | ast.ClassDef) -> set[str]:
    """The parameters of a function, or of a class: those of its constructor, else its fields."""
    if not isinstance(node, ast.ClassDef):
        given = node.args
        rest = (each for each in (given.vararg, given.kwarg) if each is not None)
        return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest)}
    own = [each for each in node.body if isinstance(each, Function) and each.name == "__init__"]
    return _arguments(own[0]) if own else _fields(node)


def _attributes(node: Function | ast.ClassDef) -> set[str]:
    """What a class defines in its body, and assigns to `self`."""
    own = {each.name for each in node.body if isinstance(each, Function)}
    named = (each for each in ast.walk(node) if isinstance(each, ast.Attribute))
    assigned = {each.attr for each in named if isinstance(each.value, ast.Name) and each.value.id == "self"}
    return own | assigned | _fields(node)


def _fields(node: Function | ast.ClassDef) -> set[str]:
    targets: list[ast.expr] = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    targets += [target for each in node.body if isinstance(each, ast.Assign) for target in each.targets]
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def test_what_a_docstring_lists_is_an_argument_or_an_attribute() -> None:
    assert [each for source in sources("scoopi") for each in stale(source)] == []


def test_lists_of_functions_and_of_classes_are_read() -> None:
    listed = [
        _ENTRY.findall(entries)
        for node in ast.walk(Source("scoopi/politeness/host_rate_limiter.py").tree)
        if isinstance(node, Function | ast.ClassDef)
        for _, entries in _SECTION.findall(ast.get_docstring(node) or "")
    ]
    assert ["heard, fault, sent_at"] in listed
    assert any("limits" in names for names in listed)
