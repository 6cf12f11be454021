"""Reads records from a page by a definition of records."""
