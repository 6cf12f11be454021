"""The file formats of records, one module each."""
