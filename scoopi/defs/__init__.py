"""Reads definitions: YAML, with the place of every value, becomes validated and normalized definitions."""
