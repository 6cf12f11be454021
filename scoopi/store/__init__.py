"""The records of runs and of the scheduler: one port, its backends, and the protocols on top of it."""
