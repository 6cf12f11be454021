"""Reads cells that differ only by their positions, a whole table at a time."""
