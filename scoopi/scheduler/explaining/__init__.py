"""Explains what a job waits for, since when, what holds it, and what a user can do."""
