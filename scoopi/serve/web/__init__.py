"""The HTTP endpoints of a `serve`."""
