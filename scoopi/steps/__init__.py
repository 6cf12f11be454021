"""The data path of a page, one file a step."""
