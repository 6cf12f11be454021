"""Writes records to files and tables: targets, formats and databases."""
