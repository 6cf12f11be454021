"""The records of a run: one port, its twins, and the protocol classes over it."""
