"""Metrics of this node, and the HTTP server that exposes them."""
