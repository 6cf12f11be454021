"""Acts on a page in a browser, and reads it, with commands that all browsers have."""
