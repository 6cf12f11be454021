"""Rows that locators are made from (of files, standard input, databases, other runs), and those of a run."""
