"""Runs the scheduler: its state, its passes, and the attempts of a worker."""
