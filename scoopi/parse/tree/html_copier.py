"""copy_html: copies lexbor's tree into an lxml tree, node by node in pure Python."""

from __future__ import annotations

import re

from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from scoopi.parse.element import Element
from scoopi.parse.tree.html_limits import MAX_NODES, check_depth, check_nodes, refuse_depth, refuse_nodes

_TEXT = 2
_COMMENT = 4
_DOCTYPE = 5
_INSTRUCTION = 0
"""Tag ids of nodes that are not elements; selectolax reports 0 for a processing instruction."""

_REFUSED_TEXT = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFUSED_IN_TAG = re.compile("[&<\"']")
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def copy_html(page: bytes, max_depth: int, max_nodes: int = MAX_NODES) -> etree._ElementTree:
    """Parse a page in valid UTF-8 with lexbor, and copy the tree.

    Raises:
        ParseError: the tree is deeper than `max_depth` elements, or has more than `max_nodes` elements,
            texts, comments and attributes.
    """
    check_nodes(page, max_nodes)
    check_depth(page, max_depth)
    root = LexborHTMLParser(page).root
    assert root is not None
    assert root.parent is not None
    return _Copier(page, max_depth, max_nodes).copied(root.parent)


class _Copier:
    """Copies one page."""

    def __init__(self, page: bytes, max_depth: int, max_nodes: int) -> None:
        folded = page.lower()
        self._cased = b"<svg" in folded or b"<math" in folded
        self._max_depth = max_depth
        self._max_nodes = max_nodes
        self._nodes = 0
        self._names: dict[int, str] = {}

    def copied(self, document: LexborNode) -> etree._ElementTree:
        """The document as an lxml tree, without the doctype."""
        node = document.first_child
        before: list[LexborNode] = []
        while node is not None and node.tag_id in (_COMMENT, _INSTRUCTION, _DOCTYPE):
            before.append(node)
            node = node.next
        assert node is not None
        comments = [earlier for earlier in before if earlier.tag_id != _DOCTYPE]
        self._count(len(comments) + 1)
        root = last = self._root(node)
        for earlier in comments:
            root.addprevious(_comment(earlier))
        while (node := node.next) is not None:
            self._count(1)
            comment = _comment(node)
            last.addnext(comment)
            last = comment
        tree = root.getroottree()
        tree.docinfo.clear()
        return tree

    def _root(self, node: LexborNode) -> Element:
        root = etree.HTMLParser().makeelement(
            self._name(node), _accepted(self._attributes(node, node.attributes))
        )
        self._copy_children(node, root)
        return root

    def _copy_children(self, top: LexborNode, parent: Element) -> None:
        """Copies depth first with an explicit stack: deep pages would exceed Python's recursion limit."""
        sub_element, names = etree.SubElement, self._names
        stack: list[tuple[LexborNode | None, Element, Element]] = []
        last: Element | None = None
        text = ""
        node = top.first_child
        while True:
            while node is None:
                if not stack:
                    return
                node, parent, last = stack.pop()
                text = ""
            self._count(1)
            kind = node.tag_id
            if kind == _TEXT:
                text += node.text_content or ""
                _set_text(parent, last, text)
                node = node.next
                continue
            if kind in (_COMMENT, _INSTRUCTION):
                last = _comment(node)
                parent.append(last)
                child = None
            else:
                if len(stack) + 2 > self._max_depth:
                    refuse_depth(self._max_depth)
                name = names.get(kind) or self._name(node)
                attributes = node.attributes
                last = (
                    self._element(parent, name, node, attributes) if attributes else sub_element(parent, name)
                )
                child = _content(node) if name == "template" else node.first_child
            text = ""
            if child is None:
                node = node.next
            else:
                stack.append((node.next, parent, last))
                node, parent, last = child, last, None

    def _name(self, node: LexborNode) -> str:
        name = _REFUSED_IN_TAG.sub("_", _cleaned((node.tag or "").translate(_ASCII_LOWER)))
        self._names[node.tag_id] = name
        return name

    def _element(
        self, parent: Element, name: str, node: LexborNode, attributes: dict[str, str | None]
    ) -> Element:
        given = self._attributes(node, attributes)
        try:
            return etree.SubElement(parent, name, given)
        except ValueError:
            return etree.SubElement(parent, name, _accepted(given))

    def _attributes(self, node: LexborNode, attributes: dict[str, str | None]) -> dict[str, str]:
        given = {name: value or "" for name, value in attributes.items() if name[:1] != "{"}
        self._count(len(given))
        if not self._cased:
            return given
        if "xmlns" in given:  # lexbor keeps duplicates on foreign elements; the first one counts
            given["xmlns"] = node.attrs["xmlns"] or ""
        return {name.translate(_ASCII_LOWER): value for name, value in given.items()}

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > self._max_nodes:
            refuse_nodes(self._max_nodes)


def _content(template: LexborNode) -> LexborNode | None:
    """First node of a template's content, or the first child of an SVG or MathML element of that name."""
    if template.first_child is not None:
        return template.first_child
    fragments = template.template_fragments()
    return fragments[0].first_child if fragments else None


def _set_text(parent: Element, last: Element | None, text: str) -> None:
    try:
        if last is None:
            parent.text = text
        else:
            last.tail = text
    except ValueError:
        _set_text(parent, last, _cleaned(text))


def _comment(node: LexborNode) -> Element:
    comment = etree.Comment()
    comment.text = _cleaned(_comment_text(node))
    return comment


def _comment_text(node: LexborNode) -> str:
    """The untrimmed text of a comment, taken from the markup: `comment_content` is trimmed.

    The markup may continue with siblings of the node.
    """
    trimmed, markup = node.comment_content or "", node.html or ""
    if node.tag_id == _INSTRUCTION:
        return markup[1 : markup.index("?>", 2)]
    begin = len("<!--")
    return markup[begin : markup.index("-->", markup.index(trimmed, begin) + len(trimmed))]


def _accepted(attributes: dict[str, str]) -> dict[str, str]:
    return {_cleaned(name): _cleaned(value) for name, value in attributes.items() if not name.startswith("{")}


def _cleaned(text: str) -> str:
    """The text with each character that lxml rejects replaced by a similar one."""
    return _REFUSED_TEXT.sub("�", text.replace("\f", " "))
