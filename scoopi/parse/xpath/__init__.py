"""XPath selectors."""
