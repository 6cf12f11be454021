"""Runs attempts, each in a process of its own below a keeper, which leaves no process behind."""
