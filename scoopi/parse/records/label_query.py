"""LabelQuery: finds the value next to a label, as in a table of facts, a description list or a form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from scoopi.parse.css.element_text import full_text
from scoopi.parse.element import Element

FoundNode = Element | str

_CELLS = frozenset({"th", "td"})
_FORM_FIELDS = frozenset({"input", "select", "textarea", "output", "meter", "progress"})
_LONGEST = 300
"""An element with more characters than this is not read as `TEXT: value`."""


class LabelQuery:
    """Finds the values next to a label, in document order of the labels.

    A label is a `th` or `td` that another cell follows, a `dt` with its `dd`, a `label` with its form field,
    or a text before a colon: `<b>UPC:</b> a22` and `<li>UPC: a22</li>`.

    Args:
        text: the label; compared trimmed, case-folded and without a colon at its end.
    """

    def __init__(self, text: str) -> None:
        self._label = _folded(text)

    def __call__(self, root: Element) -> Sequence[FoundNode]:
        """The values inside an element: the elements that hold them, or their texts."""
        return list(self._values(root))

    def _values(self, root: Element) -> Iterator[FoundNode]:
        for element in root.iter(etree.Element):
            if not self._may_be_label(element):
                continue
            text = full_text(element)
            if _folded(text) == self._label:
                yield from _beside(element, root)
            elif ":" in text and not len(element) and len(text) < _LONGEST:
                label, _, value = text.partition(":")
                if _folded(label) == self._label and value.strip():
                    yield value.strip()

    def _may_be_label(self, element: Element) -> bool:
        """A cheap test that rules out most elements, by the first letter or the tag."""
        text = element.text
        if text and not text.isspace():
            return _folded(text).startswith(self._label[:1])
        return len(element) > 0 and element.tag in _CELLS | {"dt", "label"}


def labels_in(root: Element) -> Iterator[str]:
    """The labels with a value inside an element, as written but without a colon at their end.

    >>> from lxml import html
    >>> list(labels_in(html.fromstring("<div><dl><dt>Weight:<dd>2 kg</dl><li>UPC: a22</li></div>")))
    ['Weight', 'UPC']
    """
    for element in root.iter(etree.Element):
        text = full_text(element)
        if not text or len(text) >= _LONGEST:
            continue
        if any(True for _ in _beside(element, root)):
            yield " ".join(text.split()).rstrip(": ")
        elif ":" in text and not len(element):
            label, _, value = text.partition(":")
            if label.strip() and value.strip():
                yield " ".join(label.split())


def _beside(label: Element, root: Element) -> Iterator[FoundNode]:
    """The value of a label; nothing if it has none."""
    if label.tag in _CELLS:
        cell = label.getnext()
        if cell is not None and cell.tag in _CELLS:
            yield cell
    elif label.tag == "dt":
        yield from _descriptions(label)
    elif label.tag == "label":
        field = _form_field(label, root)
        if field is not None:
            yield _form_value(field)
    else:
        yield from _behind(label)


def _descriptions(term: Element) -> Iterator[Element]:
    sibling = term.getnext()
    while sibling is not None and sibling.tag == "dt":  # several terms share their descriptions
        sibling = sibling.getnext()
    while sibling is not None and sibling.tag == "dd":
        yield sibling
        sibling = sibling.getnext()


def _form_field(label: Element, root: Element) -> Element | None:
    name = label.get("for")
    page = root.getroottree().getroot()
    if name:
        return next((each for each in page.iter(etree.Element) if each.get("id") == name), None)
    inner = next((each for each in label.iter(*_FORM_FIELDS)), None)
    return inner if inner is not None else label.getnext()


def _form_value(field: Element) -> FoundNode:
    if field.tag == "input":
        return field.get("value") or ""
    if field.tag == "select":
        options = list(field.iter("option"))
        chosen = next((each for each in options if each.get("selected") is not None), None)
        return chosen if chosen is not None else options[0] if options else field
    return field


def _behind(label: Element) -> Iterator[FoundNode]:
    """The text between an element and the next one; if there is none, the next element."""
    tail = (label.tail or "").strip(": \t\n\r\f\u00a0")
    following = label.getnext()
    is_label = full_text(label).rstrip().endswith(":") or (label.tail or "").lstrip().startswith(":")
    if not is_label:
        return
    if tail:
        yield tail
    elif following is not None and isinstance(following.tag, str) and following.tag != "br":
        yield following


def _folded(text: str) -> str:
    return " ".join(text.split()).rstrip(": ").casefold()
