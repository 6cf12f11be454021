"""Cells that differ by their positions only, read by whole tables."""
