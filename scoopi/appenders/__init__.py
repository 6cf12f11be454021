"""Writes encoded rows from a bounded queue to durable segment files."""
