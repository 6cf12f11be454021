"""A URL becomes bytes: http, file."""
