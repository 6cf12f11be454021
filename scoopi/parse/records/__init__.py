"""From a page and the definition of records to records."""
