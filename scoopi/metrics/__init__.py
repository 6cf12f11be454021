"""Counters and figures of this node, and the HTTP server that shows them."""
