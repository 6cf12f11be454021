"""The store in a SQLite file: of a run on one machine, or of a scheduler."""
