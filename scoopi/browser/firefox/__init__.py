"""Firefox: its tabs, over WebDriver BiDi."""
