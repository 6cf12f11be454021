"""Loads pages as a browser shows them, in a pool of browsers with processes of their own."""
