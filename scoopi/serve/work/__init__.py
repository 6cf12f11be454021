"""Runs attempts, each in a process of its own below a supervisor, which leaves no process behind."""
