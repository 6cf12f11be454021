"""What texts of a page mean as numbers, prices, dates and truths."""
