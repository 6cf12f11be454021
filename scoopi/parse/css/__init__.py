"""The jsoup dialect of CSS: text -> small tree -> XPath, and the text of elements as it wants it."""
