"""Decides when processes are evaluated, so that their slots get jobs, and when jobs are due or late."""
