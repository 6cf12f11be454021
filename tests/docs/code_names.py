"""CodeNames: the names in Python files, and the texts beside them that mention names."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

from tests.structure.sources import Source

_WORD = re.compile(r"\w+")
_NO_MEMBERS = frozenset(
    {"Protocol", "Generic", "Struct", "NamedTuple", "Enum", "IntEnum", "StrEnum", "object"}
)
"""Bases of which no docstring names a member."""
_NAMED_BY: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.alias: "name",
}
"""Kind of a node -> its attribute that is a name. What is imported under another name is used under it."""


class CodeNames:
    """The names in Python files: of modules, classes, functions, arguments, attributes and variables.

    Attributes:
        words: all names, and the words of all strings, such as keys and settings.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self.words = {*dir(builtins), *keyword.kwlist}
        self._members: dict[str, set[str]] = defaultdict(set)
        self._bases: dict[str, set[str]] = defaultdict(set)
        for source in sources:
            self.words.update(source.path.parts, [source.path.stem])
            texts = {id(node) for node in _docstrings(source)}
            for node in _nodes(source):
                if id(node) not in texts:
                    self.words.update(_names(node))
                if isinstance(node, ast.ClassDef):
                    self._bases[node.name].update(map(_base, node.bases))
                    self._members[node.name].update(
                        name for each in ast.walk(node) for name in _defined(each)
                    )

    def has(self, named: str) -> bool:
        """Whether a dotted name is known; of a class that is in the files, whether it has the member."""
        parts = named.split(".")
        if len(parts) == 2 and parts[0] in self._members:
            return self._is_member(*parts)
        return self.words.issuperset(parts)

    def _is_member(self, name: str, member: str) -> bool:
        if name not in self._members:  # of another library
            return name not in _NO_MEMBERS
        return member in self._members[name] or any(
            self._is_member(base, member) for base in self._bases[name]
        )


@cache
def texts(source: Source) -> tuple[tuple[int, str], ...]:
    """The docstrings and comments of a file, each with its line, and the texts below its constants."""
    return (*((node.lineno, str(node.value)) for node in _docstrings(source)), *_comments(source))


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    if "#" not in source.text:
        return
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


@cache
def _nodes(source: Source) -> list[ast.AST]:
    return list(ast.walk(source.tree))


def _docstrings(source: Source) -> Iterator[ast.Constant]:
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


def _names(node: ast.AST) -> Iterable[str]:
    """The names and words in a node itself, without its children."""
    attribute = _NAMED_BY.get(type(node))
    if attribute is not None:
        name: str | None = getattr(node, attribute)
        return () if name is None else name.split(".")
    return _WORD.findall(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()


def _defined(node: ast.AST) -> Iterator[str]:
    """The members that a node in the body of a class defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (
                each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
            )


def _base(node: ast.expr) -> str:
    match node:
        case ast.Subscript(value=value):
            return _base(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
