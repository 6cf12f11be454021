"""The garbage collector of the scheduler: removes records and folders past their retention."""
