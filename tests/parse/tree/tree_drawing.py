"""draw: an lxml tree as the lines of a tree case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from scoopi.parse.element import Element
from tests.parse.tree.dat_reader import Line


def draw(tree: etree._ElementTree) -> list[Line]:
    """All nodes of the tree, comments beside the root included."""
    root = tree.getroot()
    around = [*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()]
    return [line for node in around for line in _drawn(node)]


def _drawn(top: Element) -> Iterator[Line]:
    """With a stack of our own, as trees may be deep."""
    stack: list[tuple[int, Any]] = [(0, top)]
    while stack:
        depth, node = stack.pop()
        if isinstance(node, str):
            yield depth, f'"{node}"'
        elif not isinstance(node.tag, str):
            yield depth, f"<!-- {node.text} -->"
        else:
            yield depth, f"<{node.tag}>"
            yield from ((depth + 1, f'{name}="{value}"') for name, value in sorted(node.attrib.items()))
            stack += reversed([(depth + 1, inside) for inside in _inside(node)])


def _inside(element: Element) -> Iterator[Element | str]:
    if element.text:
        yield element.text
    for child in element:
        yield child
        if child.tail:
            yield child.tail
