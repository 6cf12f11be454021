"""The key `browser` of task groups: how their pages are loaded in a browser."""
