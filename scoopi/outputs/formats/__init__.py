"""File formats of records, one file each."""
