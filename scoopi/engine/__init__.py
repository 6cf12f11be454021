"""Starts and ends the parts of a run, seeds it, and prepares one whose failed tasks run again."""
