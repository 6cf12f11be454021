"""Frozen values that travel between the rooms."""
