"""Budgets: how many pages and bytes, and how much time, a run, its groups and its hosts may use."""
