"""Finds the records of a run that differ from those of the last finished run."""
