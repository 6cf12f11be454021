"""KeyPlaces: where the processes of a project, and the values of their keys, are written."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.place import Place


class KeyPlaces:
    """The places of processes and of the values of their keys, for findings about the whole project.

    As a collection, it has the qualified names of all processes, also of those with errors.
    """

    def __init__(self) -> None:
        self._names: dict[str, Place] = {}
        self._nodes: dict[str, Node] = {}

    def __contains__(self, process: str) -> bool:
        return process in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def add(self, process: str, place: Place, node: Node) -> None:
        """Add a process, with the place of its name and the node of its keys."""
        self._names[process] = place
        self._nodes[process] = node

    def of_name(self, process: str) -> Place:
        """Return where the name of a process is written."""
        return self._names[process]

    def names_in(self, process: str, key: str) -> frozenset[str]:
        """Return the names in a mapping of a process, such as `inputs`; empty if the key is not a mapping."""
        node = self._nodes[process]
        table = node.table(key) if isinstance(node, Table) else None
        return frozenset(table.entries) if table is not None else frozenset()

    def at(self, process: str, *names: str | int) -> tuple[Place, str]:
        """Return the place of a value, and the path of names to it.

        Args:
            names: the keys and indexes of lists from the process to the value. The path ends before a name
                that is not written, as below a short form.

        >>> from scoopi.defs.yaml.node import Text
        >>> places, text = KeyPlaces(), Text("books", Place("shop.yml", 3, 12))
        >>> places.add("shop.clean", Place("shop.yml", 2, 3), Table({"after": text}, {}, text.place))
        >>> places.at("shop.clean", "after", 0)
        (Place(file='shop.yml', line=3, column=12), 'processes.clean.after')
        """
        place, path = self._names[process], f"processes.{process.rpartition('.')[2]}"
        node: Node | None = self._nodes[process]
        for name in names:
            if isinstance(node, Listing) and isinstance(name, int) and name < len(node.entries):
                node, path = [*node.entries][name], f"{path}[{name}]"
            elif isinstance(node, Table) and isinstance(name, str) and name in node.entries:
                is_empty = isinstance(inner := node.entries[name], Text) and inner.is_empty
                place = node.keys[name] if is_empty else inner.place
                node, path = inner, f"{path}.{name}"
                continue
            else:
                break
            place = node.place
        return place, path
