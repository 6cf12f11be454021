"""ConfFile: reads the settings of one YAML file, with the line of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from scoopi.configs.given import Given
from scoopi.errors import ConfigError
from scoopi.model.text.json_text import read_json

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 50
_TOO_DEEP = "it is nested too deep"
_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"
"""Message of libyaml from 0.2.6 on, which rejects more than a thousand levels itself."""
_LARGEST_BYTES = 1_000_000
_JSON = re.compile(r"\s*[{\[]\s*[\"{\[]")
"""Beginning of a text that is meant as JSON; YAML may begin with a bracket, too, as in `{name: value}`."""
_NULL = "tag:yaml.org,2002:null"
SITES = "sites"
"""The only section that does not contain settings; it has the syntax of definitions."""


class _BoundedLoader(_LOADER):  # type: ignore[misc]  # which of two classes is known at import
    """Rejects deep nesting, which could crash the loader in C."""

    _depth = 0

    def descend_resolver(self, _parent: object, _index: object) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise yaml.MarkedYAMLError(problem=_TOO_DEEP)

    def ascend_resolver(self) -> None:
        self._depth -= 1


class ConfFile:
    """Reads the settings of one YAML file, with the line of each.

    Keys may be nested, dotted, or both; every value is the text as written.

    Args:
        path: the file.
        shown: its path as messages show it.

    Attributes:
        given: after `read`, the values in the order of the file.
        faults: after `read`, the errors found.
        has_sites: after `read`, whether the file has a section `sites`.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self._path = path
        self._shown = shown
        self._lines: dict[str, int] = {}
        self._open: set[int] = set()
        self.given: list[Given] = []
        self.faults: list[ConfigError] = []
        self.has_sites = False

    def read(self) -> ConfFile:
        """Read the file and return self; errors are added to `faults`, not raised."""
        try:
            root = yaml.compose(self._content(), Loader=_BoundedLoader)
        except yaml.YAMLError as fault:
            self.faults.append(self._not_yaml(fault))
            return self
        except ConfigError as fault:
            self.faults.append(fault)
            return self
        if root is not None and not self._is_empty(root):
            self._walk("", root)
        return self

    def _content(self) -> str:
        try:
            content = self._path.read_bytes()
            if len(content) > _LARGEST_BYTES:
                raise ConfigError("the file is too large for settings", at=self._shown)
            return content.decode("utf-8-sig")
        except OSError as fault:
            reason = fault.strerror or type(fault).__name__
            raise ConfigError(
                f"the settings cannot be read: {reason}",
                at=self._shown,
                hint="name an existing, readable YAML file",
            ) from None
        except UnicodeDecodeError:
            raise ConfigError("the file is not UTF-8 text", at=self._shown, hint="save it as UTF-8") from None

    def _not_yaml(self, fault: yaml.YAMLError) -> ConfigError:
        problem = getattr(fault, "problem", None) or str(fault).splitlines()[0]
        is_deep = _LIBYAML_TOO_DEEP in problem
        mark = None if is_deep else getattr(fault, "problem_mark", None)
        at = f"{self._shown}:{mark.line + 1}:{mark.column + 1}" if mark else self._shown
        what = _TOO_DEEP if is_deep else problem
        return ConfigError(f"the file is not YAML: {what}", at=at, hint="write `key: value` lines")

    def _walk(self, prefix: str, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            self._take(prefix, node)
        elif isinstance(node, yaml.MappingNode):
            if id(node) in self._open:
                self._fault(node, f"{prefix or 'the file'} repeats an anchored block", "write it out")
                return
            self._open.add(id(node))
            for key, value in node.value:
                self._step(prefix, key, value)
        else:
            self._fault(node, f"{prefix or 'the file'} is a list", "a setting has one value: `key: value`")

    def _step(self, prefix: str, key: yaml.Node, value: yaml.Node) -> None:
        if not isinstance(key, yaml.ScalarNode) or not key.value.strip():
            self._fault(key, "a key must be a plain name", "write `key: value`")
            return
        name = key.value.strip()
        if not prefix and name == SITES:
            self.has_sites = True
            return
        self._walk(f"{prefix}.{name}" if prefix else name, value)

    def _take(self, key: str, node: yaml.ScalarNode) -> None:
        if not key:
            self._fault(node, "the file holds a text, not settings", "write `key: value` lines")
        elif self._is_empty(node):
            hint = 'write a value, "" for an empty text, or remove the line'
            self._fault(node, f"{key} has no value", hint)
        elif key in self._lines:
            what = f"{key} is set twice, first in line {self._lines[key]}"
            self._fault(node, what, "keep one of them")
        else:
            line = node.start_mark.line + 1
            self._lines[key] = line
            self.given.append(Given(key, node.value, f"{self._shown}:{line}", self._at(node)))

    def _is_empty(self, node: yaml.Node) -> bool:
        return isinstance(node, yaml.ScalarNode) and node.tag == _NULL and not node.value

    def _fault(self, node: yaml.Node, what: str, hint: str) -> None:
        self.faults.append(ConfigError(what, at=self._at(node), hint=hint))

    def _at(self, node: yaml.Node) -> str:
        return f"{self._shown}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"


def plain_value(text: str) -> object:
    """Parse a text in JSON or YAML; scalars of YAML stay texts.

    >>> plain_value("day: 2026-01-31")
    {'day': '2026-01-31'}

    Raises:
        ValueError: the text is neither JSON nor YAML; names the position.
    """
    try:
        return read_json(text)
    except ValueError as error:
        # JSON's errors give a better position; what is nested too deeply for JSON is so for YAML too.
        if _JSON.match(text) or isinstance(error.__cause__, RecursionError):
            raise
    try:
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  it makes only texts, lists and mappings
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"{place}{error.problem}") from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
