"""Decides when processes are looked at, so that their slots get jobs, and when jobs are due or late."""
