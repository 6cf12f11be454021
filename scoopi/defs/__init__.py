"""YAML with line marks becomes checked, typed, normalized definitions."""
