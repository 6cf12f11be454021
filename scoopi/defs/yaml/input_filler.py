"""InputFiller: fills the inputs of a run into its definitions before anything else reads them.

Source: defs/README.md, 2.4.
"""

from __future__ import annotations

import re

from scoopi.defs.yaml.entries import Entries
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.inputs import SLOT_PARTS, STAND_IN, Inputs
from scoopi.model.place import Place
from scoopi.model.text.page_text import without_mark
from scoopi.model.text.shown import nearest

_PLACEHOLDER = re.compile(r"(%?)%\{\s*(input|slot)\.([^{}]*?)\s*\}")
_INPUT = re.compile(r"%\{\s*(?:input|slot)\.[^{}]*\}")
"""As `_PLACEHOLDER`, but begins with a fixed text, so that long files are searched in a tenth of the time."""
_SOURCE = re.compile(r"\.from(\.|\Z)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DATA = "dataDefs"
_LOCATORS = "locatorGroups"
_CODE = frozenset({"steps", "plugins", "class", "script"})
"""Keys below which texts are code."""
_QUERIES = frozenset({"block", "selector", "attribute", "each", "select"})


def names_inputs(text: str) -> bool:
    """Whether the text of a file may contain placeholders for inputs."""
    return _INPUT.search(text) is not None


class InputFiller:
    """Replaces `%{input.NAME}` and `%{slot.PART}` by their values; a missing value is a finding.

    Inputs are data: they are rejected in code and queries, where a value could change the meaning.
    """

    def __init__(self, inputs: Inputs, findings: Findings) -> None:
        self._inputs = inputs
        self._findings = findings
        self._named: dict[str, Place] = {}
        self._missed: set[str] = set()
        self._meant: set[str] = set()
        self._stood_in: set[Place] = set()

    def filled(self, root: Table) -> Table:
        """Return the definitions with the values in place of the placeholders."""
        filled = self._node(root, "", is_data=False, refused="")
        assert isinstance(filled, Table)
        return filled

    def with_locators(self, root: Table) -> Table:
        """Return a file's definitions with the placeholders in its locators replaced, and only these.

        Call this before short forms are expanded: expansion depends on values such as the day in `since`.
        """
        groups = root.entries.get(_LOCATORS)
        if not isinstance(groups, Table):
            return root
        filled = self._node(groups, _LOCATORS, is_data=False, refused="")
        return Table({**root.entries, _LOCATORS: filled}, root.keys, root.place)

    def report_unknown(self, begin: Place) -> None:
        """Report the inputs that the user has given but no placeholder names.

        Each is reported at the placeholder with the most similar name, or else at the first placeholder. Call
        this last: further findings about texts with an unfilled placeholder are ignored.

        Args:
            begin: where the definitions begin; used if they have no placeholder.
        """
        first = next(iter(self._named.values()), begin)
        for name in self._inputs.values if not self._inputs.giver else ():
            if name not in self._named and name not in self._meant:
                near = nearest(name, self._named)
                known = ", ".join(sorted(self._named))
                hint = f"they name {known}" if known else "they have no %{input.NAME}"
                what = f"the input {name} is given, but the definitions have no such input"
                self._findings.error(self._named.get(near, first), "", what, hint, near=near)
        self._findings.mute(self._stood_in)

    def _node(self, node: Node, path: str, *, is_data: bool, refused: str) -> Node:
        if isinstance(node, Text):
            return self._text(node, path, is_data=is_data, refused=refused)
        if isinstance(node, Listing):
            entries = Entries(node.place.file)
            for number, entry in enumerate(node.entries):
                entries.append(self._node(entry, f"{path}[{number}]", is_data=is_data, refused=refused))
            return Listing(entries, node.place)
        filled: dict[str, Node] = {}
        for name, entry in node.entries.items():
            key = f"{path}.{name}" if path else name
            why = refused or ("code" if name in _CODE else "a query" if is_data and name in _QUERIES else "")
            filled[name] = self._node(entry, key, is_data=is_data or key == _DATA, refused=why)
        return Table(filled, node.keys, node.place)

    def _text(self, node: Text, path: str, *, is_data: bool, refused: str) -> Text:
        if "%{" not in node.text:
            return node

        def value(found: re.Match[str]) -> str:
            return found[0] if found[1] else self._value(found, node, path, is_data=is_data, refused=refused)

        text = _PLACEHOLDER.sub(value, node.text)
        if text == node.text:
            return node
        return Text(text, node.place, is_quoted=node.is_quoted, written=node.text)

    def _value(self, found: re.Match[str], node: Text, path: str, *, is_data: bool, refused: str) -> str:
        kind, part = found[2], found[3]
        name = part if kind == "input" else f"slot.{part}"
        self._named.setdefault(name, node.place)
        if kind == "slot" and part not in SLOT_PARTS:
            self._findings.unknown(node.place, path, f"a slot has no {part}", part, SLOT_PARTS)
        elif kind == "input" and not _NAME.fullmatch(part):
            hint = "begin with a letter or _; then use letters, digits, _ and -"
            self._findings.error(node.place, path, f"{part!r} is not a valid name of an input", hint)
        elif refused:
            self._refuse(found[0], node, path, refused)
        elif name not in self._inputs.values:
            self._miss(name, node, path)
        else:
            given = without_mark(self._inputs.values[name])
            return given.replace("%{", "%%{") if is_data or path.startswith(f"{_LOCATORS}.") else given
        self._stood_in.add(node.place)
        return found[0] if _SOURCE.search(path) else STAND_IN  # no source is asked with another value

    def _refuse(self, placeholder: str, node: Text, path: str, refused: str) -> None:
        hint = "write it in a locator, a constant (value), a prefix, or the name of an output"
        if refused == "a query":
            hint = f"define an axis with value: {placeholder!r}, and write %{{item.value}} here"
        self._findings.error(node.place, path, f"{placeholder} stands in {refused}", hint)

    def _miss(self, name: str, node: Text, path: str) -> None:
        """Report an input that is not given, once, with the given one that was probably meant."""
        if name in self._missed:
            return
        self._missed.add(name)
        giver, near = self._inputs.giver, nearest(name, self._inputs.values)
        self._meant.add(near)
        if giver:
            what, hint = f"{giver} does not give the input {name}", f"add `{name}: VALUE` to its inputs"
        else:
            what, hint = f"the input {name} is not given", f"add -i {name}=VALUE"
        hint = f"it gives {near}; {hint}" if near and giver else f"{near} is given; {hint}" if near else hint
        self._findings.error(node.place, path, what, hint)
