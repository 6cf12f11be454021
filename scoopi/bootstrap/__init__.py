"""Boots a node: composes settings and definitions, and wires the parts of a run together."""
