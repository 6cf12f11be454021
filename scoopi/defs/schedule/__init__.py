"""The language of the scheduler: turns files of processes into validated values."""
