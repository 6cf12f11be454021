"""The jsoup dialect of CSS: parses selectors, translates them to XPath, and reads texts as jsoup does."""
