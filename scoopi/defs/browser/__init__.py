"""The part of the language that says how pages are loaded in a browser."""
