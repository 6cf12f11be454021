"""Reads YAML with the place of each value, checks it against a declared language, and reports findings."""
