"""Which nodes take part in a run, and what one of them does for all."""
