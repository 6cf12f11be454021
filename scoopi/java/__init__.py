"""Implements the Java classes that definitions rely on: regular expressions and date patterns."""
