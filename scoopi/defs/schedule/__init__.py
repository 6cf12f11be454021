"""The language of the scheduler: files of processes become checked values."""
