"""From records to files and tables: formats, databases and where they are."""
