"""Finds which elements of a page the definitions need, so that only these are copied."""
