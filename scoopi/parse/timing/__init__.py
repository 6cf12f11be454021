"""Measures how long each entry of a data definition takes, on a sample of the pages."""
