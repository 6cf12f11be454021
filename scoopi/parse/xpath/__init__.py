"""Compiles and evaluates XPath selectors."""
