"""The garbage collector of the scheduler: removes records and folders that are older than what is kept."""
