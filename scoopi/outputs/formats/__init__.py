"""The file formats of records."""
