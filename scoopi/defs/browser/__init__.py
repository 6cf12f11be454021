"""How the definitions say that pages are loaded in a browser."""
