"""The language of the scheduler: reads files of processes into checked values."""
