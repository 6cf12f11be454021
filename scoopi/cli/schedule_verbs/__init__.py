"""The verbs of the scheduler, one file each."""
