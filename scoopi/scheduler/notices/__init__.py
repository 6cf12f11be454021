"""Decides which changes of jobs and attempts are reported, and to which targets."""
