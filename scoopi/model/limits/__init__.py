"""Limits of a run's requests: retries and budgets."""
