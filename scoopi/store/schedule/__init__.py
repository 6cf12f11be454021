"""The scheduler's records in a store: processes, jobs, attempts, workers, bundles."""
