"""Turns simple selectors, and those of values beside labels, into targets of the walk in C over a block."""
