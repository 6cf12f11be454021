"""node_value: reads the text or markup of a node that a field takes."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from scoopi.parse.css.element_text import full_text, own_text
from scoopi.parse.element import Element
from scoopi.parse.xpath.xpath_values import text_of_node

FoundNode = Element | str

_WHITE_SPACE = re.compile("[ \t\n\f\r\u00a0]+")
_PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*").fullmatch
_UNSEEN = frozenset({"script", "style", "template"})


def visible_text(node: FoundNode) -> str:
    """The visible text of a node: white space collapsed, a blank where a block or `<br>` starts or ends."""
    if isinstance(node, str):
        return node if _PLAIN(node) else _WHITE_SPACE.sub(" ", node).strip(" ")
    text = node.text
    for child in node if len(node) else ():
        tag: object = child.tag
        if isinstance(tag, str):
            return full_text(node)
        if child.tail:  # of a comment
            text = text + child.tail if text else child.tail
    if text and node.tag not in _UNSEEN and _PLAIN(text):
        return text
    return own_text(node) if text else ""


def raw_text(node: FoundNode) -> str:
    """The text of a node as written in the page, with its white space and with scripts."""
    return text_of_node(node)


def own_node_text(node: FoundNode) -> str:
    """The text of a node without that of its descendants, white space collapsed."""
    return visible_text(node) if isinstance(node, str) else own_text(node)


def outer_html(node: FoundNode) -> str:
    """The markup of an element, its own tags included; a text as it is."""
    if isinstance(node, str):
        return node
    return etree.tostring(node, encoding="unicode", method="html", with_tail=False)


def inner_html(node: FoundNode) -> str:
    """The markup between the tags of an element; a text as it is."""
    if isinstance(node, str):
        return node
    if not len(node) and node.text is None:
        return ""
    outer = outer_html(node)  # it escapes every `>` in attributes
    return outer[outer.index(">") + 1 : outer.rindex("</")] if "</" in outer else ""


def value_of(text: str, html: str) -> Callable[[FoundNode], str]:
    """Choose the function that reads what a field takes from a node.

    Args:
        text: `visible`, `own` or `raw`.
        html: `inner`, `outer`, or empty for the text.
    """
    if html:
        return inner_html if html == "inner" else outer_html
    return {"visible": visible_text, "own": own_node_text, "raw": raw_text}[text]
