"""Encoded rows become durable segments, and segments become output files."""
