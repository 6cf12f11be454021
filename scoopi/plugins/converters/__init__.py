"""The built-in converters, which change the texts of one item."""
