"""Firefox: its driver, and its tabs over WebDriver BiDi."""
