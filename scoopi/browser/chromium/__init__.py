"""Chromium: its driver, and its tabs over the DevTools protocol."""
