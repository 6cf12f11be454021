"""Saved pages and data that a later run may reuse; files only."""
