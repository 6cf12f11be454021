"""Chromium: its tabs, over its own protocol."""
