"""The language of scrape definitions: from checked YAML to typed definitions."""
