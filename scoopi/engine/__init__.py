"""Starts and ends the parts of a run, seeds it, and asks whether it is over."""
