"""Turns the committed frames of a run into finished files and tables."""
