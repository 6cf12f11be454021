"""The built-in converters: texts of one item become other texts."""
