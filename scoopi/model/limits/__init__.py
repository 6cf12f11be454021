"""Limits of a run's requests: rates, retries and budgets."""
