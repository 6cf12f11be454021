"""A run's own records: its phase, its end, and how long they are kept."""
