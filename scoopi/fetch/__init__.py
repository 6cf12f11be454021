"""Fetches the bytes of a URL, by HTTP or from a file."""
