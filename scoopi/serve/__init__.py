"""Runs the scheduler: keeps its state, runs its passes, and runs attempts on this machine."""
