"""Boots a node: composes configs and definitions, and decides who gets what."""
