"""Parses the bytes of a page into the tree that a browser builds."""
