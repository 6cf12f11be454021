"""The built-in encoder plugins."""
