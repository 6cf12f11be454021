"""Reads the lists of pages that sites publish, sitemaps and feeds, as JSON values."""
