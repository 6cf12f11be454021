"""Targets of the compiled walk over the elements of a block: simple selectors, and values beside labels."""
