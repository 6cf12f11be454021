"""Counts and times of this node."""
