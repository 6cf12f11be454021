"""The language of scrape definitions: turns YAML nodes into checked, typed definitions."""
