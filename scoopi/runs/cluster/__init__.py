"""Joins a run of a cluster, names it, and reports or cancels runs from outside."""
