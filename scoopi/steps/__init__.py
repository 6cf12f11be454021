"""The steps that a page's tasks consist of."""
