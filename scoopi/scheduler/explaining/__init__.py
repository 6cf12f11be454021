"""explaining: puts into words what a job waits for, since when, what holds it, and what a user may do."""
