"""Starts Chromium with its driver, and shows pages in its tabs over the DevTools protocol."""
