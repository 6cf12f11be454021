"""From the links of a page to the jobs of further pages."""
