"""The records of the scheduler over the port: processes, jobs, attempts, workers, bundles."""
