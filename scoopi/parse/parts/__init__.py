"""Parts of a page: which of its elements definitions need, so that no others are copied."""
