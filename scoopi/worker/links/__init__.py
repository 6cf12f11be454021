"""Makes the jobs of further pages from the links of a page."""
