"""Script plugins that drive a browser: the process that they run in, and what they see of the browser."""
