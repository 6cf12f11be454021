"""What a walk over the elements of a block looks for: simple selectors, and values beside labels."""
