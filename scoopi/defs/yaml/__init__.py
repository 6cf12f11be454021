"""Reads YAML with line marks, checks its shape, and reports findings; knows no language of its own."""
