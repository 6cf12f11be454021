"""Which nodes take part in a run, and how one of them does something on behalf of all."""
