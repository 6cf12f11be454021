"""The built-in script plugins."""
