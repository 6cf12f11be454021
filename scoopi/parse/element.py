"""Element: the type of the elements of a page's tree, whose class lxml does not make public."""

from __future__ import annotations

from lxml import etree

Element = etree._Element
