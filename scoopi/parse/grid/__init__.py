"""Reads rows from a page's tree by a data definition."""
