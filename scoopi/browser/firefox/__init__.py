"""Starts Firefox with its driver, and shows pages in its tabs over WebDriver BiDi."""
