"""Locators that stand for many pages: templates of addresses, and what their placeholders stand for."""
