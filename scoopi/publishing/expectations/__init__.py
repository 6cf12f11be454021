"""Checks the records of a run against the expectations in its definitions."""
