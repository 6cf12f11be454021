"""Reads definitions: YAML with the place of every value becomes checked, typed, normalized definitions."""
