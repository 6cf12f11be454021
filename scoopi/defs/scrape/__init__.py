"""The language of scrape definitions: turns YAML nodes into validated definitions."""
