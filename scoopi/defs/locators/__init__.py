"""Locators that stand for many pages: address templates, and the values of their placeholders."""
