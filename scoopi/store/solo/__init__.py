"""The store of a run on one machine: SQLite in the run's folder."""
