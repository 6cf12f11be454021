"""What is done on a page in a browser, and what is read from it, by commands that all browsers have."""
