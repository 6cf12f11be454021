"""Workers of the scheduler: their names, their records and their heartbeats."""
