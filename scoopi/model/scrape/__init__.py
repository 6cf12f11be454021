"""What a scrape does, as its definitions say: locators, tasks with their steps, and browsers."""
