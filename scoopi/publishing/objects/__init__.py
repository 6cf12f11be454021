"""Uploads of local files to object stores, through fsspec."""
