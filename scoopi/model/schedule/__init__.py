"""Values of the scheduler: its processes, its settings and its records."""
