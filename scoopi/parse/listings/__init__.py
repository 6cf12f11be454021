"""Lists of pages that sites keep themselves: sitemaps and feeds, as values of JSON."""
