"""Saved pages and data that later runs may reuse; files only."""
