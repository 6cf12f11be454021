"""Immutable values that pass between the rooms: definitions, pages, jobs and rows."""
