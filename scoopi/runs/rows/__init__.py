"""Rows that definitions read their pages from: files, standard input, databases, outputs of runs."""
