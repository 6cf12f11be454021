"""The built-in appender plugins."""
