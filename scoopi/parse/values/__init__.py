"""Reads numbers, prices and dates from the texts of a page."""
