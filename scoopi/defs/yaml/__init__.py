"""Reads YAML with the place of each value, checks its shape and reports findings, for any language."""
